import type { QueueTrouble } from './queueTrouble.ts';

/** A problem of the queue's server that an operator should fix. */
export interface QueueFinding {
  readonly code: 'eviction';
  readonly severity: 'error';
  readonly message: string;
  readonly hint: string;
}

export interface QueueReport {
  readonly kind: 'redis' | 'postgres';
  readonly isReachable: boolean;
  /** Redis is there, and does not accept the user or the password in its address. */
  readonly isRefused?: true;
  /** The first word of the error with which Redis answers, such as `NOPERM`: it is reachable, and does not serve. */
  readonly reply?: string;
  /** Why the queue is unreachable, in the words of the server or the driver. */
  readonly reason?: string;
  readonly version?: string;
  readonly findings: readonly QueueFinding[];
  /** Number of bells by state; absent where the queue is unreachable. */
  readonly bells?: { readonly waiting: number; readonly delayed: number; readonly answered: number };
  /** Number of faults of each kind since the queue was opened. */
  readonly troubles: Readonly<Partial<Record<QueueTrouble, number>>>;
}

/** Redis may evict bells and locks: Baton does not start on it unless `mayEvict` allows that. */
export class EvictionError extends Error {
  override readonly name = 'EvictionError';
}

/** Redis refuses the user or the password. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

const refusals = /^(?:WRONGPASS|NOAUTH) /;

/** The error of a connection to Redis as a `RefusedError`, if it is one; undefined for another error. */
export const refusalOf = (error: Error): RefusedError | undefined =>
  refusals.test(error.message) ? new RefusedError(error.message, { cause: error }) : undefined;

/** The problems that Redis' `INFO` shows. */
export function redisFindings(info: ReadonlyMap<string, string>): QueueFinding[] {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return [];
  return [
    {
      code: 'eviction',
      severity: 'error',
      message: `Redis may evict bells and locks: its maxmemory-policy is ${policy}.`,
      hint: 'set maxmemory-policy to noeviction',
    },
  ];
}

/** `key:value` lines, as Redis answers `INFO`. */
export function parseInfo(text: string): Map<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return line.startsWith('#') || at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
}
