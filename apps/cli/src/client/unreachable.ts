/** Why there is no answer, in words. */
import { isLoopback } from './address.ts';
import { UnreachableError } from './problem.ts';

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

/** What fetch threw, as an error that says which address, why, and what to do. */
export function unreachable(url: URL, cause: unknown): UnreachableError {
  const isLocal = isLoopback(url);
  const code = codeOf(cause);
  const hint = isLocal
    ? 'start Baton with `baton dev`, or name a running one with --url or BATON_URL'
    : 'check the address in --url or BATON_URL, and that Baton runs there';
  return new UnreachableError(url.href, `Baton cannot be reached at ${url.href}: ${reasonOf(cause, code)}.`, {
    cause,
    ...(code === undefined || isAbsence(code) ? { hint } : {}),
  });
}

const isAbsence = (code: string): boolean => !code.includes('CERT');

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
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
  }
  return undefined;
}

const firstCause = (error: Error): unknown =>
  error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : error.cause;
