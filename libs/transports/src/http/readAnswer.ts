/**
 * Reads the answer to a posted request, as `http`, `http-plain` and HTTP with events share it: messages in a body or in
 * events, with any status and any media type.
 */
import { cleanText, SseReader } from '@baton/primitives';

import type { Intake } from '../link/intake.ts';
import { isCall, readMessages, type Answer } from '../link/messages.ts';
import type { HttpAnswer } from './answer.ts';
import { NoMessageError, StatusError, tellingStatuses } from './httpFailure.ts';
import { isEventStream, readEvents, type EventListener } from './readEvents.ts';

/** An answer that holds no message for its request. */
export const unanswered = ({ status }: HttpAnswer): Error =>
  new Error(
    status === 200 ? 'the answer ended without a message' : `it answered ${status} to a request, and sent no message`,
  );

interface Reception {
  readonly intake: Intake;
  /** The request that was posted. */
  readonly id: number;
  /** Sees each event of a stream, besides the messages in it. */
  readonly events?: EventListener;
}

/**
 * Passes the messages on. Resolves when the answer has ended: true if it answered the request. Rejects with
 * `StatusError`, `NoMessageError` and with errors of the connection.
 */
export async function readAnswer(answer: HttpAnswer, reception: Reception): Promise<boolean> {
  if (!answer.ok) return readRefusal(answer, reception);
  if (!isEventStream(answer)) return readBody(await answer.jsonText(), answer, reception);
  const { intake, id, events } = reception;
  let isAnswered = false;
  const text = await readEvents(answer, {
    onRetry: events?.onRetry,
    onEvent: (event) => {
      events?.onEvent(event);
      if (event.data !== '') isAnswered = intake.take(event.data, id).isAnswered || isAnswered;
    },
  });
  return text === undefined ? isAnswered : readBody(text, answer, reception);
}

/** Frameworks send JSON-RPC errors, and some servers results, with 400, 404 or 500. */
async function readRefusal(answer: HttpAnswer, { intake, id }: Reception): Promise<boolean> {
  const { status, statusText } = answer;
  const body = await answer.text();
  const { messages } = readMessages(body);
  const own = messages.find((message) => !isCall(message) && (message.id === undefined || Number(message.id) === id));
  const { result, error }: Answer = own === undefined || isCall(own) ? {} : own;
  if (result !== undefined && !tellingStatuses.has(status)) return intake.deliver(messages, id);
  throw new StatusError(status, body === '' ? statusText : body, error);
}

const shownCharacters = 200;

function readBody(text: string, answer: HttpAnswer, { intake, id }: Reception): boolean {
  const { isAnswered, rest, messages } = intake.take(text, id);
  if (isAnswered) return true;
  if (messages.some((message) => !isCall(message))) throw new NoMessageError('the answer is to another request');
  if (rest === '') return false;
  if (/^(?:event|data|id|retry)?:/.test(rest)) return readEventText(rest, { intake, id });
  const type = answer.headers.get('content-type') ?? 'no content type';
  const shown = cleanText(rest, shownCharacters);
  throw new NoMessageError(`the answer is no JSON-RPC message (${type}): ${shown}`);
}

/** Events whose media type is another. */
function readEventText(text: string, { intake, id }: Reception): boolean {
  let isAnswered = false;
  const reader = new SseReader({
    onEvent: ({ data }) => {
      isAnswered = intake.take(data, id).isAnswered || isAnswered;
    },
  });
  reader.push(new TextEncoder().encode(text));
  reader.end();
  return isAnswered;
}
