/** Translates database errors for callers. Reads codes and never messages, because the server translates those. */
import { FailureError, InvariantError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { DatabaseError } from 'pg';

const codeOf = (error: unknown): string => (error instanceof DatabaseError ? (error.code ?? '') : '');

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505';

/** Serialization failure, deadlock: nothing was written, and the same statement may go through now. */
export const mayTryAgain = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

/** It is the statement, or a value in it: data exceptions, constraints, syntax, and what is too deep or too large. */
export const isRefusalCode = (sqlState: string): boolean => /^(22|23|42|54)/.test(sqlState);

export const isRefusal = (error: unknown): boolean => isRefusalCode(codeOf(error));

/** An answer to this statement alone. After all else (shutting down, read-only since a failover, …) connect anew. */
export const leavesConnectionUsable = (error: unknown): boolean => /^(22|23|40|42|53|54|55)/.test(codeOf(error));

/**
 * `UnavailableError` for errors that may pass, `FailureError` where the database will never take the value. Throws for
 * bugs of ours.
 */
export function asUnavailable(error: unknown): Error {
  if (error instanceof InvariantError) throw error;
  if (error instanceof UnavailableError || error instanceof FailureError) return error;
  const { message } = error instanceof Error ? error : new Error(String(error));
  if (isRefusal(error)) {
    return new FailureError('limit-exceeded', `The database does not take it: ${message}`, { cause: error });
  }
  return new UnavailableError(`the database cannot be asked now: ${message}`, { cause: error });
}
