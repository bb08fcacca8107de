import { UnavailableError } from '@baton/runner';

import { startFaults } from './startFaults.ts';

/** How a process ends by itself, as `sysexits.h` has it, but for settings, which end every command with 2. */
export const exitCodes = {
  /** A setting, a file or a right is wrong: no restart helps. */
  misused: 2,
  /** Something that the process needs is away, full or taken: a restart may help. */
  unavailable: 69,
  /** A bug. */
  broken: 70,
} as const;

type StartExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface StartErrorOptions extends ErrorOptions {
  /** Default: `misused`. */
  readonly exitCode?: StartExitCode;
}

/** A process cannot start, for a reason that its operator can correct: one sentence, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: StartExitCode;

  constructor(message: string, { exitCode = exitCodes.misused, ...options }: StartErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** For the `catch` around a part whose errors of this kind are written for operators. */
export const toldAs =
  (Kind: new (...values: never[]) => Error) =>
  (error: unknown): never => {
    throw error instanceof Kind ? new StartError(error.message, { cause: error }) : error;
  };

/**
 * For the `catch` around a part that the process cannot start without. Throws a `StartError` if the operator can
 * correct the cause.
 */
export function cannotUse(what: string, setting: string): (error: unknown) => never {
  return (error) => {
    throw startErrorOf(error, what, setting) ?? error;
  };
}

/** The error, or the nearest of its causes, that an operator can correct; undefined where it is a bug. */
export function startErrorOf(error: unknown, what: string, setting: string): StartError | undefined {
  for (const cause of causesOf(error)) {
    const code = 'code' in cause ? String(cause.code) : '';
    const fault = startFaults.find(
      ({ codes, words }) => codes?.test(code) === true || words?.test(cause.message) === true,
    );
    if (fault === undefined) continue;
    const why = fault.why ?? (cause.message === '' ? code : sentenceOf(cause.message));
    const advice = fault.advice?.(setting) ?? `Is it there, and is ${setting} right?`;
    return new StartError(`${what} cannot be used: ${why}. ${advice}`, {
      cause: error,
      exitCode: exitCodes[fault.kind],
    });
  }
  return undefined;
}

const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

/** Whether Postgres said it, or the store that it is away. */
export const isOfPostgres = (error: unknown): boolean =>
  [...causesOf(error)].some(
    (one) => one instanceof UnavailableError || ('code' in one && sqlState.test(String(one.code))),
  );

/** Without Node's advice to change how Node is started, and without the period, which follows. */
const sentenceOf = (message: string): string => message.replace(/; if the root CA is .*$/s, '').replace(/\.$/, '');

/** Itself, those it was made of, and those behind it: the nearest one first. */
function* causesOf(error: unknown, depth = 0): Generator<Error> {
  if (!(error instanceof Error) || depth > 8) return;
  yield error;
  for (const one of error instanceof AggregateError ? error.errors : []) yield* causesOf(one, depth + 1);
  yield* causesOf(error.cause, depth + 1);
  yield* causesOf(errorOfPrisma(error), depth + 1);
}

/** What Postgres said: Prisma keeps it in the details of its own error. */
function errorOfPrisma(error: Error): Error | undefined {
  const { meta } = error as { readonly meta?: { readonly driverAdapterError?: { readonly cause?: unknown } } };
  const { originalCode, originalMessage } = (meta?.driverAdapterError?.cause ?? {}) as Record<string, unknown>;
  if (typeof originalCode !== 'string') return undefined;
  const message = typeof originalMessage === 'string' ? originalMessage : originalCode;
  return Object.assign(new Error(message), { code: originalCode });
}
