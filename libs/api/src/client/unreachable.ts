/** The error for a missing answer, or an answer that is not Baton's. */

/** The request may or may not have arrived. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly url: string;
  /**
   * `away`: no answer came, or a proxy's that there was none. `not-baton`: another program answered. `lost`: a stream broke and could not be reopened.
   */
  readonly why: 'away' | 'not-baton' | 'lost';
  /** The system's error code, if there is one: `ECONNREFUSED`. */
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
  ECONNREFUSED: 'no program listens there',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no route to that host',
  ENETUNREACH: 'there is no route to that network',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; NODE_EXTRA_CA_CERTS can name it as trusted',
  HPE_INVALID_CONSTANT: 'the program that answers there does not speak HTTP',
};

/** Converts an error of `fetch` into one that names the address and the reason. */
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

/** Finds the system's error code: `fetch` wraps the error, and twice for a name with several addresses. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = firstCause(at)) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

const firstCause = (error: Error): unknown =>
  error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : error.cause;
