/** `If-Match` and `If-None-Match` before something is replaced (RFC 9110, section 13.1): what one has not seen stays. */
import type { IncomingHttpHeaders } from 'node:http';

import { ProblemError } from './problem.ts';

/** Of a thing that has versions. */
export const etagOf = (version: number): string => `"${version}"`;

/** Whether the thing may be replaced as it is now; undefined: there is none. */
export type Precondition = (etag: string | undefined) => boolean;

/** Undefined where nothing is asked for. */
export function preconditionIn(headers: IncomingHttpHeaders): Precondition | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return undefined;
  return (etag) => (match === undefined || names(match, etag)) && (noneMatch === undefined || !names(noneMatch, etag));
}

/** What is weak is not the same byte for byte: it names nothing here. */
const names = (list: string, etag: string | undefined): boolean =>
  etag !== undefined && list.split(',').some((one) => one.trim() === '*' || one.trim() === etag);

export function preconditionFailed(etag: string | undefined): ProblemError {
  const detail = etag === undefined ? 'There is nothing to replace.' : `It has changed since: it is ${etag} now.`;
  return new ProblemError('precondition-failed', detail, etag === undefined ? {} : { headers: { etag } });
}
