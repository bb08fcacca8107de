/**
 * What is answered where a request cannot be served: RFC 9457, one table.
 * `type` is a stable name; programs go by it and by the status, people read `detail`.
 */
export const problems = {
  'malformed-request': { status: 400, title: 'The request cannot be read.' },
  'duplicate-key': { status: 400, title: 'A key stands twice in the same object.' },
  'invalid-cursor': { status: 400, title: 'This is no cursor of this list.' },
  unauthenticated: { status: 401, title: 'A valid API key is needed.' },
  'signature-refused': { status: 401, title: 'The request is not signed as it should be.' },
  forbidden: { status: 403, title: 'The API key may not do this.' },
  'host-refused': { status: 403, title: 'The request is meant for another host.' },
  'origin-refused': { status: 403, title: 'The page that sent the request may not do so.' },
  'not-found': { status: 404, title: 'There is nothing of that name.' },
  'method-not-allowed': { status: 405, title: 'The method does not go with this address.' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive.' },
  'in-progress': { status: 409, title: 'The same request is being served.' },
  'already-finished': { status: 409, title: 'The run is over.' },
  'not-finished': { status: 409, title: 'The run is not over.' },
  'already-answered': { status: 409, title: 'The question was answered before.' },
  'question-closed': { status: 409, title: 'The question is no longer open.' },
  'concurrency-full': { status: 409, title: 'As many runs go on as may at once.' },
  conflict: { status: 409, title: 'Things stand in the way of this.' },
  'precondition-failed': { status: 412, title: 'It is not as the request relies on.' },
  'payload-too-large': { status: 413, title: 'The body is too large.' },
  'uri-too-long': { status: 414, title: 'The address is too long.' },
  'unsupported-media-type': { status: 415, title: 'The body is of a type that is not taken here.' },
  'validation-failed': { status: 422, title: 'The request does not fit what is asked for here.' },
  'workflow-invalid': { status: 422, title: 'The workflow has errors.' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key was used for another request.' },
  'quota-exceeded': { status: 429, title: 'As much is in use as may be at a time.' },
  'rate-limited': { status: 429, title: 'Too many requests.' },
  'headers-too-large': { status: 431, title: 'The header is too large.' },
  internal: { status: 500, title: 'Something went wrong here.' },
  overloaded: { status: 503, title: 'There is too much to do just now.' },
  'dependency-down': { status: 503, title: 'Something that is needed for this is away.' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemName = keyof typeof problems;

/** One of the things that are wrong with what was sent. */
export interface ProblemDetail {
  /** JSON pointer into the body; `?name` for a query parameter. */
  readonly pointer?: string;
  /** In a text that was sent, 1-based. */
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  /** Of a finding. */
  readonly severity?: 'error' | 'warning';
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly hint?: string;
  /** The lines around the place. */
  readonly frame?: string;
}

export interface Problem {
  readonly name: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly ProblemDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

type More = Pick<Problem, 'errors' | 'headers'>;

/** A problem on its way to the answer. Caught at the edge, and only there. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(name: ProblemName, detail: string, more: More & ErrorOptions = {}) {
    const { cause, ...rest } = more;
    super(detail, cause === undefined ? {} : { cause });
    this.problem = { name, ...problems[name], detail, ...rest };
  }
}

/** The body of the answer. */
export function problemBody(problem: Problem, request: { readonly id: string; readonly url: string }): object {
  const { name, status, title, detail, errors } = problem;
  return {
    type: `urn:baton:problem:${name}`,
    title,
    status,
    detail,
    // Without the query, which may hold what should not be repeated.
    instance: request.url.split('?')[0]?.slice(0, 256),
    requestId: request.id,
    ...(errors === undefined ? {} : { errors }),
  };
}

export const problemType = 'application/problem+json';
