/** Exit codes. They are a contract: scripts rely on them. */
import type { StartError } from '@baton/boot';

export const exitCodes = {
  done: 0,
  /** The run failed, or the check found errors. */
  failed: 1,
  /** Wrong usage, or a file that cannot be used. */
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  unreachable: 6,
  timedOut: 7,
  /** The run was cancelled. */
  cancelled: 8,
  /** Something that a start needs is away, full or taken: it may start later. */
  unavailable: 69,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for a run's status. */
export function exitCodeOfRun(status: 'succeeded' | 'failed' | 'cancelled'): ExitCode {
  return { succeeded: exitCodes.done, failed: exitCodes.failed, cancelled: exitCodes.cancelled }[status];
}

/** The exit code for an HTTP error. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.notAllowed;
  if (status === 404 || status === 410) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 408 || status === 429 || (status >= 502 && status <= 504)) return exitCodes.unreachable;
  return status >= 500 ? exitCodes.failed : exitCodes.usage;
}

/** The exit code for a start that failed: what a process of Baton ends with, but for its bugs. */
export function exitCodeOfStart({ exitCode }: StartError): ExitCode {
  return { 2: exitCodes.usage, 69: exitCodes.unavailable, 70: exitCodes.failed }[exitCode];
}
