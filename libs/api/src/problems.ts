/**
 * The problems (RFC 9457) that the API answers with, in one table.
 *
 * `type` is `urn:baton:problem:` and the code. Programs use the code, people read `detail`. A request may also end
 * with a failure of a tool or a server: then the code is one of the engine's `failureCodes`.
 */
import type { FailureCode } from '@baton/engine';

import type { ProblemDetail } from './schemas/problem.ts';

export const problems = {
  'malformed-request': { status: 400, title: 'The request cannot be read.' },
  'duplicate-key': { status: 400, title: 'An object in the body has the same key twice.' },
  'invalid-cursor': { status: 400, title: 'The cursor does not belong to this list.' },
  unauthenticated: { status: 401, title: 'A valid API key is required.' },
  'signature-refused': { status: 401, title: 'The signature of the request is not valid.' },
  forbidden: { status: 403, title: 'The API key does not allow this.' },
  'host-refused': { status: 403, title: 'The request names another host.' },
  'origin-refused': { status: 403, title: 'Requests from this web page are not allowed.' },
  'not-found': { status: 404, title: 'Not found.' },
  'method-not-allowed': { status: 405, title: 'This address does not support the method.' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive.' },
  'in-progress': { status: 409, title: 'The same request is still being processed.' },
  'already-finished': { status: 409, title: 'The run has already ended.' },
  'not-finished': { status: 409, title: 'The run has not ended yet.' },
  'already-answered': { status: 409, title: 'The question has already been answered.' },
  'question-closed': { status: 409, title: 'The question is closed.' },
  'concurrency-full': { status: 409, title: 'The workflow’s concurrency limit is reached.' },
  'tool-name-taken': { status: 409, title: 'The tool name belongs to another workflow, or to Baton itself.' },
  'workflow-paused': { status: 409, title: 'The workflow is paused.' },
  conflict: { status: 409, title: 'The resource is in use, or its state does not allow this.' },
  'precondition-failed': { status: 412, title: 'The resource has changed.' },
  'payload-too-large': { status: 413, title: 'The body is too large.' },
  'uri-too-long': { status: 414, title: 'The address is too long.' },
  'unsupported-media-type': { status: 415, title: 'This content type is not supported.' },
  'validation-failed': { status: 422, title: 'The request is not valid.' },
  'workflow-invalid': { status: 422, title: 'The workflow has errors.' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key belongs to another request.' },
  'quota-exceeded': { status: 429, title: 'A quota is used up.' },
  'budget-spent': { status: 429, title: 'A budget is used up.' },
  'rate-limited': { status: 429, title: 'Too many requests.' },
  'headers-too-large': { status: 431, title: 'The request headers are too large.' },
  internal: { status: 500, title: 'Internal error.' },
  overloaded: { status: 503, title: 'The service is overloaded.' },
  fenced: { status: 503, title: 'The database went back in time, and a person must lift the fence.' },
  'dependency-down': { status: 503, title: 'A service that Baton needs is not available.' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

/** The code of a problem, or of a failure of a tool or server. */
export type ProblemCode = keyof typeof problems | FailureCode;

export interface Problem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly ProblemDetail[];
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names that the log has beside the refusal, and the answer has not. */
  readonly logged?: Readonly<Record<string, string>> | undefined;
}

type ProblemExtras = Partial<Pick<Problem, 'status' | 'title' | 'errors' | 'headers' | 'logged'>>;

/** Details of a problem that a client received. */
export interface ReceivedProblemExtras extends ProblemExtras, ErrorOptions {
  /** The request: `POST /v1/runs`. */
  readonly request?: string;
  /** The request's id in the server's log. */
  readonly requestId?: string | undefined;
  /** How long to wait before another try. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * A refused request. The server throws it and converts it into the answer; the client throws it when it reads such an
 * answer. `message` is the problem's `detail`.
 */
export class ProblemError extends Error implements Problem {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly errors: readonly ProblemDetail[];
  readonly headers: Readonly<Record<string, string>>;
  readonly logged: Readonly<Record<string, string>> | undefined;
  readonly request: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  /** `status` and `title` are those of the table, unless `more` has others. */
  constructor(code: ProblemCode, detail: string, more: ReceivedProblemExtras = {}) {
    const { cause, errors = [], headers = {}, request, requestId, retryAfterMs } = more;
    super(detail, cause === undefined ? {} : { cause });
    const known = code in problems ? problems[code as keyof typeof problems] : problems.internal;
    this.code = code;
    this.status = more.status ?? known.status;
    this.title = more.title ?? known.title;
    this.errors = errors;
    this.headers = headers;
    this.logged = more.logged;
    this.request = request;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  get detail(): string {
    return this.message;
  }
}

export const problemType = 'application/problem+json';

const typePrefix = 'urn:baton:problem:';

/** The body of the answer to a request. */
export function problemBody(problem: Problem, request: { readonly id: string; readonly url: string }): object {
  const { code, status, title, detail, errors } = problem;
  return {
    type: `${typePrefix}${code}`,
    title,
    status,
    detail,
    // Without the query, which may hold secrets.
    instance: request.url.split('?')[0]?.slice(0, 256),
    requestId: request.id,
    ...(errors.length === 0 ? {} : { errors }),
  };
}

/** The code that a problem's `type` names. */
export const codeOfType = (type: string): ProblemCode =>
  (type.startsWith(typePrefix) ? type.slice(typePrefix.length) : 'internal') as ProblemCode;
