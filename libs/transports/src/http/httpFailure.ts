/**
 * Converts an HTTP answer that is not the result of the call into a failure. Each line decides: may the call have run?
 *
 * Statuses by RFC 9110 section 15; a JSON-RPC error in the body says more than most of them. A gateway that answers for
 * a server (502, 504, and 503 without `Retry-After`) does not know whether the server had begun.
 */
import { type Delivery, type FailureCode, FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type JsonObject, cleanText, defined } from '@baton/primitives';
import { OAuthClientFlowError, OAuthError, UnauthorizedError } from '@modelcontextprotocol/client';

import { rpcDetails, rpcFailure } from '../failure/rpcFailure.ts';
import { wordsOfBody } from '../failure/serverWords.ts';
import { CodingError } from './decoding.ts';
import { TooLargeError } from './httpRequest.ts';

/** What the HTTP client saw of the request. */
export interface RequestTrace {
  readonly peer: string;
  /** The request was put on a connection. */
  readonly isSent: boolean;
  readonly hasSession: boolean;
  readonly retryAfterMs: number | undefined;
}

/** An answer whose status says that it is not the result. `rpc`: the JSON-RPC error in its body. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;
  readonly body: string;
  readonly rpc: unknown;

  constructor(status: number, body: string, rpc?: unknown) {
    super(`answered ${status}${body.trim() === '' ? '' : `: ${wordsOfBody(body)}`}`);
    this.status = status;
    this.body = body;
    this.rpc = rpc;
  }
}

/** An address has no stream of events. */
export class NoStreamError extends StatusError {}

/** The answer is there and is no message of MCP. */
export class NoMessageError extends Error {
  override readonly name = 'NoMessageError';
}

/** Characters shown of an error page from a server or a proxy. */
const shownCharacters = 500;

interface HttpMeaning {
  readonly code: FailureCode;
  readonly delivery: Delivery;
}

export function httpFailure(error: unknown, trace: RequestTrace): FailureError {
  if (error instanceof FailureError) return error;
  const { peer, retryAfterMs } = trace;
  const { code, delivery } = meaningOf(error, trace);
  const separator = error instanceof StatusError ? ' ' : ': ';
  const text = cleanText(messageOf(error), shownCharacters);
  return new FailureError(code, `The server ${peer}${separator}${text}`, {
    delivery,
    cause: error,
    details: { peer, ...detailsOf(error), ...defined({ retryAfterMs }) },
    ...defined({ retryAfterMs }),
  });
}

const detailsOf = (error: unknown): JsonObject =>
  error instanceof StatusError
    ? { status: error.status, ...(error.rpc === undefined ? {} : rpcDetails(error.rpc)) }
    : {};

function meaningOf(error: unknown, trace: RequestTrace): HttpMeaning {
  if (error instanceof StatusError) return ofStatus(error, trace);
  if (isRefusal(error)) return { code: 'server-unauthorized', delivery: 'rejected' };
  if (error instanceof TooLargeError) return { code: 'result-too-large', delivery: 'answered' };
  if (!trace.isSent) return { code: 'server-unreachable', delivery: 'unsent' };
  const isNoProtocol = [SyntaxError, NoMessageError, CodingError].some((kind) => error instanceof kind);
  return { code: isNoProtocol ? 'invalid-result' : 'connection-lost', delivery: 'unknown' };
}

/** The statuses that say more than the JSON-RPC error in their body. */
export const tellingStatuses: ReadonlySet<number> = new Set([401, 403, 429, 503]);

function ofStatus({ status, rpc }: StatusError, { hasSession, retryAfterMs }: RequestTrace): HttpMeaning {
  const bare = ofBareStatus(status, retryAfterMs);
  if (status === 404 && hasSession && !isOfMethod(rpc)) return { code: 'session-lost', delivery: 'rejected' };
  if (rpc === undefined || tellingStatuses.has(status)) return bare;
  const { code, delivery } = rpcFailure(rpc, '', bare);
  return { code, delivery };
}

/** The method or its parameters are refused, and not the session. */
function isOfMethod(rpc: unknown): boolean {
  const { code } = rpcDetails(rpc);
  return code === -32_601 || code === -32_602;
}

function ofBareStatus(status: number, retryAfterMs: number | undefined): HttpMeaning {
  if (status === 401 || status === 403) return { code: 'server-unauthorized', delivery: 'rejected' };
  if (status === 429) return { code: 'server-overloaded', delivery: 'rejected' };
  if (status === 503)
    return { code: 'server-overloaded', delivery: retryAfterMs === undefined ? 'unknown' : 'rejected' };
  if (status === 408 || status >= 500) return { code: 'server-error', delivery: 'unknown' };
  return { code: 'server-rejected', delivery: 'rejected' };
}

/** Whether the server, or its authorization server, refused the credentials. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UnauthorizedError || error instanceof OAuthError || error instanceof OAuthClientFlowError;

/** The message of the innermost cause: fetch wraps the error that explains most. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error.message === '' ? (code ?? error.name) : error.message;
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, limits.step.retryDelayMs) : undefined;
}
