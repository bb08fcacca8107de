/**
 * Multi-round-trip requests (MCP 2026-07-28): instead of a result, a server may return questions. The client then
 * repeats the request with the answers, and with the server's own state, unchanged.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { FailureError } from '@baton/engine';
import { type JsonObject, isObject } from '@baton/primitives';
import { cancelled } from '@baton/runner';

const roundsMax = 10;
/** The pause before a repetition without questions. */
const pauseMs = 250;

export interface MultiRoundTripPeer {
  /**
   * `answeringMs`: time spent on answering so far, which does not count as the server's. Rejects with `FailureError`.
   */
  readonly ask: (params: JsonObject, answeringMs: number) => Promise<unknown>;
  /** Rejects with `FailureError`. */
  readonly answer: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly signal: AbortSignal;
}

/** Asks until the server returns a result, and resolves to it. Rejects with `FailureError`. */
export async function requestInRounds(
  params: JsonObject,
  { ask, answer, signal }: MultiRoundTripPeer,
): Promise<unknown> {
  let answeringMs = 0;
  let result = await ask(params, answeringMs);
  for (let round = 1; isInputRequired(result); round++) {
    if (round > roundsMax) throw endless();
    const { inputRequests = {}, requestState } = result;
    const begun = performance.now();
    const inputResponses = await answersTo(inputRequests, answer);
    answeringMs += performance.now() - begun;
    if (inputResponses.length === 0) await pause(signal);
    const more = {
      ...(inputResponses.length === 0 ? {} : { inputResponses: Object.fromEntries(inputResponses) }),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    };
    result = await ask({ ...params, ...more }, answeringMs);
  }
  return result;
}

interface InputRequired {
  readonly inputRequests?: unknown;
  readonly requestState?: unknown;
}

const isInputRequired = (result: unknown): result is InputRequired =>
  isObject(result) && result['resultType'] === 'input_required';

function answersTo(requests: unknown, answer: MultiRoundTripPeer['answer']): Promise<[string, JsonObject][]> {
  if (!isObject(requests)) throw malformed('"inputRequests" is no object');
  return Promise.all(
    Object.entries(requests).map(async ([key, request]): Promise<[string, JsonObject]> => {
      if (!isObject(request) || typeof request['method'] !== 'string') throw malformed('a request in it has no method');
      const params = isObject(request['params']) ? request['params'] : {};
      return [key, await answer(request['method'], params as JsonObject)];
    }),
  );
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(pauseMs, undefined, { signal }).catch(() => {
    throw cancelled('answered', signal);
  });
}

const malformed = (why: string): FailureError =>
  new FailureError('invalid-result', `The server asks for input, and ${why}.`, { delivery: 'answered' });

const endless = (): FailureError =>
  new FailureError('invalid-result', `The server asked for more input ${roundsMax} times and has no result.`, {
    delivery: 'answered',
  });
