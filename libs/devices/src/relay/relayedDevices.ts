/**
 * The worker's side of the relay: calls devices that are connected to another process of the installation.
 *
 * A question is sent at most once. The connection shows whether it was sent; when the connection breaks after that, the
 * outcome is unknown.
 */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import type { Catalogue } from '@baton/protocol';
import {
  cancelled,
  workerLost,
  type CallContext,
  type CallResult,
  type ServerGroup,
  type SessionUse,
} from '@baton/runner';

import { timeLimitOf } from '../deviceCalls.ts';
import { deviceCallsOver } from '../deviceCallsOver.ts';
import { defaultLimits } from '../limits.ts';
import { fromRelayFailure, RelayAnswer, type RelayQuestion } from './relayMessage.ts';

/** An HTTP client, such as `HttpClient` of libs/transports. */
interface RelayHttp {
  fetch(
    url: string,
    init: RequestInit,
    observer: { onSent(): void; onAnswer(): void; onEnd(): void },
  ): Promise<{ readonly status: number; text(): Promise<string> }>;
  /** Aborts all requests that are still in flight. */
  close(): Promise<void>;
}

export interface RelayedDevicesOptions {
  /** `timeLimitMs`: limit for opening a connection. `bodyBytes`: the largest answer. */
  readonly openHttp: (limits: { readonly bodyBytes: number; readonly timeLimitMs: number }) => RelayHttp;
  /** URL of the relay. It is a process of this installation, so every address is allowed. */
  readonly url: string;
  /** From `deviceRelayKey`. */
  readonly key: string;
  /** How long to wait for the answer beyond the time limit of the call. */
  readonly marginMs?: number;
}

const answerBytes = 4 * 1024 * 1024;
const defaultMarginMs = 5_000;
const catalogueMs = 30_000;
const connectMs = 5_000;

interface RelayedCallLimits {
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
  readonly beginSend?: CallContext['beginSend'];
}

export function relayedDevices(options: RelayedDevicesOptions): ServerGroup {
  const http = options.openHttp({ bodyBytes: answerBytes, timeLimitMs: connectMs });
  const { marginMs = defaultMarginMs } = options;
  const call = async (device: string, tool: string, args: JsonObject, context: CallContext): Promise<CallResult> => {
    const { signal, timeout, beginSend, runId, attemptKey } = context;
    const question = { kind: 'call', device, tool, arguments: args, runId, attemptKey, timeout } as const;
    const timeLimitMs = timeLimitOf(timeout, defaultLimits.callMs) + marginMs;
    const answer = await ask(http, options, question, { signal, timeLimitMs, beginSend });
    const { result, session } = answer as { result?: JsonObject; session?: JsonObject };
    if (session === undefined) return { result: result ?? {} };
    const used = session as unknown as SessionUse;
    context.onSession?.(used.session);
    return { result: result ?? {}, session: used };
  };
  return {
    calls: deviceCallsOver((device) => ({ call: (tool, args, context) => call(device, tool, args, context) })),
    names: [],
    async catalogue(device) {
      const callLimits = { signal: new AbortController().signal, timeLimitMs: catalogueMs };
      const answer = await ask(http, options, { kind: 'catalogue', device }, callLimits);
      return { ...(answer as unknown as Catalogue), staleAt: Number.POSITIVE_INFINITY };
    },
    status: () => [],
    close: () => http.close(),
  };
}

/** Rejects with `FailureError`. */
async function ask(
  http: RelayHttp,
  { url, key }: RelayedDevicesOptions,
  question: RelayQuestion,
  { signal, timeLimitMs, beginSend }: RelayedCallLimits,
): Promise<JsonObject> {
  if (signal.aborted) throw cancelled('unsent', signal);
  if (beginSend?.() === false) throw workerLost();
  let isSent = false;
  const watch = { onSent: () => (isSent = true), onAnswer: () => {}, onEnd: () => {} };
  const timeUp = AbortSignal.timeout(Math.min(timeLimitMs, 2 ** 31 - 1));
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal: AbortSignal.any([signal, timeUp]),
  };
  try {
    const answer = await http.fetch(url, init, watch);
    const text = await answer.text();
    if (answer.status !== 200) throw refusedBy(answer.status);
    return readAnswer(text);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    const delivery = isSent ? 'unknown' : 'unsent';
    if (signal.aborted) throw cancelled(delivery, signal);
    if (timeUp.aborted) throw new FailureError('timeout', noAnswer, { delivery, cause: error });
    const code = isSent ? 'connection-lost' : 'server-unreachable';
    throw new FailureError(code, `${unreachable} ${(error as Error).message}.`, { delivery, cause: error });
  }
}

const noAnswer = 'The process to which devices are connected did not answer in time.';
const unreachable = 'The process to which devices are connected cannot be reached:';

/** The relay does not pass a request on that it refuses (status below 500); after an internal fault it may have. */
function refusedBy(status: number): FailureError {
  const isRefused = status < 500;
  const message = `${unreachable} it answered with ${status}.`;
  return new FailureError(isRefused ? 'server-unreachable' : 'connection-lost', message, {
    delivery: isRefused ? 'rejected' : 'unknown',
  });
}

function readAnswer(text: string): JsonObject {
  const read = RelayAnswer.safeParse(jsonOf(text));
  if (!read.success)
    throw new FailureError('invalid-result', `${unreachable} its answer is not a relay message.`, {
      delivery: 'unknown',
    });
  if ('failure' in read.data) throw fromRelayFailure(read.data.failure);
  return read.data.answer;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
