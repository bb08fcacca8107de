/** Translates database errors for callers. Reads codes and never messages, because the server translates those. */
import { FailureError, InvariantError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { DatabaseError } from 'pg';

/** The SQLSTATE; empty where Postgres did not answer. */
export const codeOf = (error: unknown): string => (error instanceof DatabaseError ? (error.code ?? '') : '');

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505';

/** Retention removes a large value at the moment at which a run begins to use it: one of the two statements fails. */
export const isValueInUse = (error: unknown): boolean => codeOf(error) === '23503';

/** Serialization failure, deadlock, a value that was just removed: nothing was written, and the same may succeed now. */
export const mayTryAgain = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) || isValueInUse(error);

/** The fault is in the statement or in a value: data exceptions, constraints, syntax, and values too deep or too large. */
export const isRefusalCode = (sqlState: string): boolean => /^(22|23(?!503)|42|54)/.test(sqlState);

export const isRefusal = (error: unknown): boolean => isRefusalCode(codeOf(error));

/** The error concerns this statement alone. After any other (shutdown, read-only after a failover, …) connect anew. */
export const leavesConnectionUsable = (error: unknown): boolean => /^(22|23|40|42|53|54|55)/.test(codeOf(error));

/**
 * `UnavailableError` for errors that may pass, `FailureError` where the database will never accept the value. Throws
 * `InvariantError` on.
 */
export function asUnavailable(error: unknown): Error {
  if (error instanceof InvariantError) throw error;
  if (error instanceof UnavailableError || error instanceof FailureError) return error;
  const { message } = error instanceof Error ? error : new Error(String(error));
  if (isRefusal(error)) {
    return new FailureError('limit-exceeded', `The database refused the value: ${message}`, { cause: error });
  }
  return new UnavailableError(`the database cannot be asked now: ${message}`, { cause: error });
}

/** For `catch` of what is asked of the database: throws the error as `asUnavailable` has it. */
export function rethrowUnavailable(error: unknown): never {
  throw asUnavailable(error);
}
