/** `If-Match` and `If-None-Match` (RFC 9110, section 13.1): a client replaces only the version that it has seen. */
import type { IncomingHttpHeaders } from 'node:http';

import { ProblemError } from '@baton/api';
import { type MayReplace, ReplacedError } from '@baton/store';

/** The ETag of a versioned resource. */
export const etagOf = (version: number): string => `"${version}"`;

type ConditionalHeaders = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>;

/** Undefined without a precondition. */
function conditionIn({ 'if-match': match, 'if-none-match': noneMatch }: ConditionalHeaders): MayReplace | undefined {
  if (match === undefined && noneMatch === undefined) return undefined;
  return (newest) => {
    const etag = newest === undefined ? undefined : etagOf(newest);
    return (match === undefined || names(match, etag)) && (noneMatch === undefined || !names(noneMatch, etag));
  };
}

/** Calls `replace` if the preconditions hold. Rejects with `ProblemError` (412) if they do not. */
export async function replacing<Result>(
  headers: ConditionalHeaders,
  replace: (mayReplace: MayReplace | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    return await replace(conditionIn(headers));
  } catch (error) {
    throw error instanceof ReplacedError ? preconditionFailed(error.newest) : error;
  }
}

/** A weak ETag does not promise equal bytes, so it matches nothing here. */
const names = (list: string, etag: string | undefined): boolean =>
  etag !== undefined && list.split(',').some((one) => one.trim() === '*' || one.trim() === etag);

function preconditionFailed(newest: number | undefined): ProblemError {
  if (newest === undefined) return new ProblemError('precondition-failed', 'There is nothing to replace.');
  const etag = etagOf(newest);
  return new ProblemError('precondition-failed', `The resource has changed: its ETag is ${etag} now.`, {
    headers: { etag },
  });
}
