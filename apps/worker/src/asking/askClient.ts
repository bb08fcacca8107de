/**
 * Passes a server's sampling request to the client of a gateway session, if the client offers its model: the request
 * becomes a question of the run, which the gateway sends to the client.
 */
import { type RunEvent, FailureError } from '@baton/engine';
import { type Json, type JsonObject, cleanText, isObject } from '@baton/primitives';

import { type AskRunOptions, askRun } from './askRun.ts';
import type { CallUnderWay } from './callsUnderWay.ts';

const messageCharacters = 2_000;
/** Limited because the request is stored in the journal. */
const requestCharacters = 64_000;

/** In protocol revision 2026-07-28 and later a client does not report that its model failed; it just does not answer. */
const answerWithinMs = 5 * 60_000;

/** Form of the answer, by the client's model or by a person in its place. */
const reply = {
  type: 'object',
  properties: {
    text: { type: 'string', title: 'What the model would answer' },
    model: { type: 'string', default: 'a person' },
    stopReason: { type: 'string', default: 'endTurn' },
  },
  required: ['text'],
  additionalProperties: false,
} as const satisfies Json;

/** The name of the session's client, if it supports sampling; undefined for every other run. */
export function samplingClientIn([first]: readonly RunEvent[]): string | undefined {
  if (first?.type !== 'run.requested' || first.trigger.kind !== 'session') return undefined;
  const { client, capabilities } = first.trigger.detail ?? {};
  const able: unknown = typeof capabilities === 'string' ? JSON.parse(capabilities) : undefined;
  return isObject(able) && able['sampling'] !== undefined && typeof client === 'string' ? client : undefined;
}

/** Resolves with a CreateMessageResult. Rejects with `FailureError` and `UnavailableError`. */
export async function askClient(
  options: AskRunOptions,
  call: CallUnderWay,
  params: JsonObject,
  { client, signal }: { readonly client: string; readonly signal: AbortSignal },
): Promise<JsonObject> {
  // `includeContext` is the client's own decision.
  const { includeContext: _, ...sample } = params;
  if (JSON.stringify(sample).length > requestCharacters)
    throw refused(
      'limit-exceeded',
      `What "${call.server}" asks the model of "${client}" has more than 64,000 characters.`,
    );
  const wanted = cleanText(JSON.stringify(params['messages'] ?? null), messageCharacters);
  const message = `The server "${call.server}" asks the model of "${client}": ${wanted}`;
  const answer = await askRun(options, call, { message, form: reply, sample }, { signal, withinMs: answerWithinMs });
  if (!isObject(answer)) throw refused('server-rejected', `The client "${client}" did not answer with its model.`);
  const { text = '', model = client, stopReason = 'endTurn' } = answer;
  return { role: 'assistant', content: { type: 'text', text }, model, stopReason };
}

const refused = (code: 'server-rejected' | 'limit-exceeded', message: string): FailureError =>
  new FailureError(code, message, { delivery: 'answered' });
