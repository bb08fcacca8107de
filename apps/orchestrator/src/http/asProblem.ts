/** Converts the error of a request into a problem. Details of unexpected errors go only to the log. */
import { type Problem, ProblemError, problems } from '@baton/api';
import { IdentityUnavailableError } from '@baton/control';
import { failureCodes, FailureError } from '@baton/engine';
import { EvaluationError } from '@baton/expressions';
import { UnavailableError } from '@baton/runner';
import { ValuesUnavailableError } from '@baton/store';

import { edgeLimits } from './edgeLimits.ts';

/** For a model: each error once, with its place and its hint. */
export function problemLines({ detail, errors }: Problem): readonly string[] {
  const lines = errors.map(({ pointer, message, hint }) => [pointer, message, hint].filter(Boolean).join(' '));
  // The detail of several errors begins with the first of them.
  return errors[0] !== undefined && detail.startsWith(errors[0].message) ? lines : [detail, ...lines];
}

export function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error;
  if (error instanceof FailureError) return ofFailure(error);
  if (error instanceof EvaluationError) return problem('validation-failed', error.message);
  if (error instanceof IdentityUnavailableError)
    return problem('dependency-down', error.message, { 'retry-after': '60' });
  if (error instanceof ValuesUnavailableError)
    return problem('dependency-down', 'A large value is kept outside of the database, and cannot be read now.', soon);
  if (error instanceof UnavailableError) {
    return problem('dependency-down', 'The database is unavailable. Try again soon.', soon);
  }
  return ofFastify(error) ?? problem('internal', 'This is a bug of Baton. The log has more under the request id.');
}

const soon = { 'retry-after': '1' };

const problem = (code: keyof typeof problems, detail: string, headers: Problem['headers'] = {}): Problem => ({
  code,
  ...problems[code],
  detail,
  errors: [],
  headers,
});

function ofFailure({ code, failure, retryAfterMs }: FailureError): Problem {
  const { http, means } = failureCodes[code];
  // Only a delay that the broken server itself named is passed on.
  const retryAfter = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return {
    code,
    status: http,
    title: means,
    detail: failure.message,
    errors: [],
    headers: http === 503 && retryAfter !== undefined ? { 'retry-after': String(retryAfter) } : {},
  };
}

/** Fastify's own errors, by code. */
const fastifyCodes: Readonly<Record<string, readonly [keyof typeof problems, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload-too-large', `A body may have at most ${edgeLimits.bodyBytes} bytes.`],
  // The edge adds the accepted types; a route with its own error format does not.
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', 'The body has a type that this address does not take.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed-request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['malformed-request', 'The address is not a valid URL.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri-too-long', 'A part of the address is too long.'],
};

function ofFastify(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  const known = typeof code === 'string' ? fastifyCodes[code] : undefined;
  if (known !== undefined) return problem(...known);
  const isTheirs = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isTheirs ? problem('malformed-request', 'The request broke off, or is not valid HTTP.') : undefined;
}
