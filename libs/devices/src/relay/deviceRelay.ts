/** The side of the relay to which the devices are connected: answers requests of workers. */
import { createHash, timingSafeEqual } from 'node:crypto';

import { FailureError } from '@baton/engine';
import { type JsonObject, defined } from '@baton/primitives';
import type { ServerGroup } from '@baton/runner';

import { RelayQuestion, toRelayFailure } from './relayMessage.ts';

export interface RelayRequest {
  /** The header `authorization`. */
  readonly authorization: string | undefined;
  /** Parsed JSON. */
  readonly body: unknown;
  /** Aborted when the worker has closed the connection: it aborts the call, or is dead. */
  readonly signal: AbortSignal;
}

export interface RelayReply {
  readonly status: 200 | 400 | 401;
  /** JSON. */
  readonly body: JsonObject;
}

/** `key`: from `deviceRelayKey`. */
export function deviceRelay(
  devices: Pick<ServerGroup, 'calls' | 'catalogue'>,
  key: string,
): (request: RelayRequest) => Promise<RelayReply> {
  const expected = digestOf(`Bearer ${key}`);
  return async ({ authorization = '', body, signal }) => {
    if (!timingSafeEqual(expected, digestOf(authorization))) return { status: 401, body: {} };
    const question = RelayQuestion.safeParse(body);
    if (!question.success) return { status: 400, body: { problem: question.error.issues[0]?.message ?? '' } };
    try {
      return { status: 200, body: { answer: await answerTo(question.data, devices, signal) } };
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      return { status: 200, body: { failure: toRelayFailure(error) } };
    }
  };
}

async function answerTo(
  question: RelayQuestion,
  { calls, catalogue }: Pick<ServerGroup, 'calls' | 'catalogue'>,
  signal: AbortSignal,
): Promise<JsonObject> {
  // A catalogue is JSON except `staleAt`, which is infinite: the worker's side adds it again.
  if (question.kind === 'catalogue') return (await catalogue(question.device)) as unknown as JsonObject;
  const { device, tool, arguments: args, runId, attemptKey, timeout } = question;
  const given = defined({ idleMs: timeout.idleMs, totalMs: timeout.totalMs });
  const context = { runId, attemptKey, signal, timeout: given, onProgress: (): void => {} };
  const { result, session } = await calls.callTool({ server: device, tool, arguments: args }, context);
  return { result, ...(session === undefined ? {} : { session: { ...session } }) };
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
