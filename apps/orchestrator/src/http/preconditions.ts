/** `If-Match` and `If-None-Match` before something is replaced (RFC 9110, section 13.1): what one has not seen stays. */
import type { IncomingHttpHeaders } from 'node:http';

import { ProblemError } from '@baton/api';
import type { MayReplace } from '@baton/store';
import { ReplacedError } from '@baton/store';

/** Of a thing that has versions. */
export const etagOf = (version: number): string => `"${version}"`;

type ConditionalHeaders = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>;

/** Undefined where nothing is asked for. */
function conditionIn({ 'if-match': match, 'if-none-match': noneMatch }: ConditionalHeaders): MayReplace | undefined {
  if (match === undefined && noneMatch === undefined) return undefined;
  return (newest) => {
    const etag = newest === undefined ? undefined : etagOf(newest);
    return (match === undefined || names(match, etag)) && (noneMatch === undefined || !names(noneMatch, etag));
  };
}

/** What `replace` does, as far as the request wants it. Rejects with `ProblemError` (412) where it does not. */
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

/** What is weak is not the same byte for byte: it names nothing here. */
const names = (list: string, etag: string | undefined): boolean =>
  etag !== undefined && list.split(',').some((one) => one.trim() === '*' || one.trim() === etag);

function preconditionFailed(newest: number | undefined): ProblemError {
  if (newest === undefined) return new ProblemError('precondition-failed', 'There is nothing to replace.');
  const etag = etagOf(newest);
  return new ProblemError('precondition-failed', `It is not as the request says: it is ${etag} now.`, {
    headers: { etag },
  });
}
