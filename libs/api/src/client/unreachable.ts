/** No answer, or one that no Baton gives. */

/** Nothing is known of what was asked for. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly url: string;
  /**
   * `away`: no answer came. `not-baton`: something else answers there. `lost`: a stream broke and did not come back.
   */
  readonly why: 'away' | 'not-baton' | 'lost';
  /** Of the system, where it gave one: `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(
    url: string,
    message: string,
    { why, code, ...options }: ErrorOptions & { why: UnreachableError['why']; code?: string | undefined },
  ) {
    super(message, options);
    this.url = url;
    this.why = why;
    this.code = code;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no machine of that name',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNRESET: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  EHOSTUNREACH: 'there is no way to that machine',
  ENETUNREACH: 'there is no way to that network',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself; NODE_EXTRA_CA_CERTS names one to trust',
  HPE_INVALID_CONSTANT: 'what answers there does not speak HTTP',
};

/** What fetch threw, as an error that says which address and why. */
export function unreachable(url: string, cause: unknown): UnreachableError {
  const code = codeOf(cause);
  const message = `Baton cannot be reached at ${url}: ${reasonOf(cause, code)}.`;
  return new UnreachableError(url, message, { why: 'away', cause, code });
}

/** Whether the request certainly did not arrive. */
export const isUnsent = ({ code }: UnreachableError): boolean =>
  code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';

function reasonOf(cause: unknown, code: string | undefined): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'it did not answer in time';
  if (code !== undefined && Object.hasOwn(reasons, code)) return reasons[code] ?? code;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const text = inner instanceof Error ? inner.message : String(inner);
  return code === undefined || text.includes(code) ? text : `${text} (${code})`;
}

/** fetch wraps the system's error; a name with several addresses wraps it twice. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = firstCause(at)) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

const firstCause = (error: Error): unknown =>
  error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : error.cause;
