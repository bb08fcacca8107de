/**
 * Servers' questions to people (MCP 2025-11-25, elicitation): a form to fill in, or an address to open. Each becomes a
 * question of the run. What Baton cannot show is an error, and it never opens an address for a server.
 */
import { type Question, FailureError } from '@baton/engine';
import { type Json, type JsonObject, cleanText } from '@baton/primitives';
import type { ServerRequest } from '@baton/transports';

import { type AskRunOptions, askRun } from './askRun.ts';
import type { CallUnderWay } from './callsUnderWay.ts';

export interface ElicitOptions extends AskRunOptions {
  /** Throws `FailureError` where there is no such call. */
  readonly callOf: (asked: ServerRequest) => CallUnderWay;
}

const messageCharacters = 2_000;
const formCharacters = 32_000;
const urlCharacters = 2_048;

export async function elicit(options: ElicitOptions, params: JsonObject, asked: ServerRequest): Promise<JsonObject> {
  const { server, signal, completed } = asked;
  const question = questionIn(server, params);
  // An answer that no person gave would be worse than an error.
  if (typeof question === 'string') throw refused(server, question);
  const answer = await askRun(options, options.callOf(asked), question, {
    signal,
    ...(completed === undefined ? {} : { settled: { signal: completed, answer: opened, by: server } }),
  });
  if (answer === undefined) return { action: 'cancel' };
  // The person declined to answer.
  if (answer === null) return { action: 'decline' };
  if (question.url === undefined) return { action: 'accept', content: answer };
  return { action: isOpened(answer) ? 'accept' : 'decline' };
}

const opening = {
  type: 'object',
  properties: { accept: { type: 'boolean', title: 'I have opened it, and done what it asks' } },
  required: ['accept'],
} as const satisfies Json;

/** The answer that is recorded when the server reports that the person has finished at the address. */
const opened = { accept: true } as const satisfies Json;

const isOpened = (answer: Json): boolean =>
  typeof answer === 'object' && answer !== null && 'accept' in answer && answer.accept === true;

type ElicitationQuestion = Pick<Question, 'message' | 'form' | 'url'>;

/** The question in a request; a string says why it cannot be asked. */
function questionIn(server: string, params: JsonObject): ElicitationQuestion | string {
  const { message: said, requestedSchema: form = null, mode = 'form', url } = params;
  if (typeof said !== 'string') return 'it has no message';
  const message = `${server}: ${cleanText(said, messageCharacters)}`;
  if (mode === 'url') {
    const address = addressIn(url);
    if (address === undefined) return 'its address is not one that can be shown to be opened';
    // Clients that show only messages show the address too.
    return { message: `${message} Open ${address}`, url: address, form: opening };
  }
  const isShown = mode === 'form' && JSON.stringify(form).length <= formCharacters;
  return isShown ? { message, form } : 'Baton cannot show its form';
}

/**
 * The address if a person may be asked to open it: over TLS or on this machine, and without user name and password,
 * which could be taken for the host. Returns the parsed form, so that people see the real host.
 */
function addressIn(text: Json | undefined): string | undefined {
  const url = typeof text === 'string' && text.length <= urlCharacters ? URL.parse(text) : null;
  if (url?.username !== '' || url.password !== '') return undefined;
  const isHere = url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || isHere ? url.href : undefined;
}

const refused = (server: string, why: string): FailureError =>
  new FailureError('server-rejected', `Baton cannot put the question of the server "${server}" to a person: ${why}.`, {
    delivery: 'answered',
  });
