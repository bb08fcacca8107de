/**
 * Converts an HTTP answer that is not the result of the call into a failure. Each line decides: may the call have run?
 *
 * Statuses by RFC 9110 section 15. A gateway that answers for a server (502, 504, and 503 without `Retry-After`) does
 * not know whether the server had begun.
 */
import type { Delivery, FailureCode } from '@baton/engine';
import { FailureError } from '@baton/engine';
import { limits } from '@baton/language';
import { cleanText } from '@baton/primitives';
import {
  OAuthClientFlowError,
  OAuthError,
  SdkError,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

import { TooLargeError } from '../http/httpRequest.ts';

/** What the HTTP client saw of the request. */
export interface RequestTrace {
  readonly peer: string;
  /** The request was put on a connection. */
  readonly isSent: boolean;
  readonly hasSession: boolean;
  readonly retryAfterMs: number | undefined;
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
  const text = cleanText(messageOf(error), shownCharacters);
  const status = statusOf(error);
  return new FailureError(code, `The server ${peer}: ${text}`, {
    delivery,
    cause: error,
    details: {
      peer,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

const statusOf = (error: unknown): number | undefined => (error instanceof SdkHttpError ? error.status : undefined);

function meaningOf(error: unknown, trace: RequestTrace): HttpMeaning {
  const status = statusOf(error);
  if (status !== undefined) return ofStatus(status, messageOf(error), trace);
  if (isRefusal(error)) return { code: 'server-unauthorized', delivery: 'rejected' };
  if (error instanceof TooLargeError) return { code: 'result-too-large', delivery: 'answered' };
  if (!trace.isSent) return { code: 'server-unreachable', delivery: 'unsent' };
  const isNoProtocol = error instanceof SyntaxError || error instanceof SdkError || isZodError(error);
  return { code: isNoProtocol ? 'invalid-result' : 'connection-lost', delivery: 'unknown' };
}

function ofStatus(status: number, text: string, { hasSession, retryAfterMs }: RequestTrace): HttpMeaning {
  if (hasSession && (status === 404 || (status === 400 && /session/i.test(text)))) {
    return { code: 'session-lost', delivery: 'rejected' };
  }
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

const isZodError = (error: unknown): boolean => error instanceof Error && error.name === '$ZodError';

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
