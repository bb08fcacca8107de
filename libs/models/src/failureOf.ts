/**
 * Converts the error of a request to a model into a failure. The engine retries; this room does not.
 *
 * The reason for aborting is checked first, because an aborted request may fail with any error.
 */
import { type Delivery, FailureError, InvariantError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { writtenDuration } from '@baton/primitives';
import { APICallError } from 'ai';

import type { Deadline } from './deadline.ts';

/** The stream ended before the answer was complete, or reported an error. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('the answer broke off');
  }
}

export interface ProviderTarget {
  /** `provider/model`, for messages. */
  readonly target: string;
  /** Removed from messages. */
  readonly secrets: readonly string[];
  readonly now: () => number;
}

export function failureOf(error: unknown, deadline: Deadline, asked: ProviderTarget): FailureError {
  const { target } = asked;
  if (error instanceof InvariantError) throw error;
  if (error instanceof FailureError) return error;
  const gaveUp = { cause: error, delivery: 'unknown' } as const;
  switch (deadline.abortCause) {
    case 'cancelled':
      return new FailureError('cancelled', `The request to ${target} was cancelled.`, gaveUp);
    case 'idle':
      return new FailureError(
        'timeout',
        `Nothing came from ${target} for ${writtenDuration(deadline.idleMs)}.`,
        gaveUp,
      );
    case 'total':
      return new FailureError(
        'timeout',
        `${target} did not answer within ${writtenDuration(deadline.totalMs)}.`,
        gaveUp,
      );
    case undefined:
      return APICallError.isInstance(error) ? refusal(error, asked) : breakage(error, asked);
  }
}

/** The failure for an error status of the provider. */
function refusal(error: APICallError, asked: ProviderTarget): FailureError {
  const { statusCode: status } = error;
  if (status === undefined || status < 400) return breakage(error, asked);
  // If the body is not the provider's usual error object, the SDK's message has only the status.
  const said = shown(error.data === undefined ? (error.responseBody ?? error.message) : error.message, asked);
  const details = { status };
  if (!transientStatuses.has(status) && status < 500) {
    const message = isAboutCredentials(status)
      ? `${asked.target} does not accept the API key (HTTP ${status}): ${said}`
      : `${asked.target} refused the request (HTTP ${status}): ${said}`;
    return new FailureError('model-failed', message, { cause: error, delivery: 'rejected', details });
  }
  const retryAfterMs = retryAfter(error.responseHeaders ?? {}, asked.now());
  return new FailureError('model-unavailable', `${asked.target} cannot answer now (HTTP ${status}): ${said}`, {
    cause: error,
    delivery: unbegunStatuses.has(status) ? 'rejected' : 'unknown',
    details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Timeout, conflict, too early, too many requests: the same request may succeed later. */
const transientStatuses = new Set([408, 409, 425, 429]);
/** Statuses that say that the provider did not begin the request. 529 (overloaded) is Anthropic's. */
const unbegunStatuses = new Set([408, 409, 425, 429, 503, 529]);
const isAboutCredentials = (status: number): boolean => status === 401 || status === 403;

/** Names that the AI SDK gives to errors which the request itself causes, before anything is sent. */
const requestErrorName =
  /^AI_(InvalidPrompt|InvalidArgument|UnsupportedFunctionality|InvalidDataContent|LoadAPIKey|LoadSetting|NoSuchModel)/;

/** The failure for a missing, partial or unreadable answer. */
function breakage(error: unknown, asked: ProviderTarget): FailureError {
  const said = shown(error instanceof Error ? error.message : JSON.stringify(error), asked);
  if (error instanceof Error && requestErrorName.test(error.name)) {
    return new FailureError('model-failed', `The request cannot be sent to ${asked.target}: ${said}`, { cause: error });
  }
  return new FailureError('model-unavailable', `${asked.target} did not answer properly: ${said}`, {
    cause: error,
    delivery: deliveryOf(error),
  });
}

/** Error codes of connections that were never opened. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function deliveryOf(error: unknown): Delivery {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && unsent.has(at.code)) return 'unsent';
  }
  return 'unknown';
}

/** Milliseconds until the time that the headers give, at most the longest wait between two attempts. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  const plain = headers['retry-after'] ?? '';
  const parsed = /^\d+(\.\d+)?$/.test(plain) ? Number(plain) * 1_000 : Date.parse(plain) - now;
  const ms = Number.isFinite(exact) ? exact : parsed;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), limits.step.retryDelayMs) : undefined;
}

/** Removes secrets: providers often quote the key that they refuse. */
function shown(text: string, { secrets }: ProviderTarget): string {
  const hidden = secrets
    .filter(({ length }) => length >= 4)
    .reduce((left, secret) => left.replaceAll(secret, '***'), text);
  return hidden.slice(0, 500);
}
