/** Converts a server's sampling request into a request for the client's model, and the reply into an answer. */
import type { AskedQuestion } from '@baton/control';
import type { JsonObject } from '@baton/primitives';
import {
  type CreateMessageRequestParams,
  type InputRequiredResult,
  inputRequired,
  isSpecType,
} from '@modelcontextprotocol/server';

import { askFor, keyOf } from '../mcp/answers.ts';

/** For the client's user, or for its model. */
export function requestFor(question: AskedQuestion): InputRequiredResult {
  const { sample } = question.question;
  if (sample === undefined) return askFor(question);
  // The SDK checked the request when the server sent it.
  const params = sample as unknown as CreateMessageRequestParams;
  return inputRequired({
    inputRequests: { [keyOf(question)]: inputRequired.createMessage(params) },
    requestState: question.id,
  });
}

/** Undefined if the client did not send a text of its model. */
export function replyIn(result: unknown): JsonObject | undefined {
  if (!isSpecType.CreateMessageResult(result)) return undefined;
  const { content, model, stopReason } = result;
  if (content.type !== 'text') return undefined;
  return { text: content.text, model, ...(stopReason === undefined ? {} : { stopReason }) };
}
