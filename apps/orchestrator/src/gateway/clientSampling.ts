/** A server asks a model during a session: the request for the client's own model, and its reply as an answer. */
import type { JsonObject } from '@baton/language';
import type { CreateMessageRequestParams, InputRequiredResult } from '@modelcontextprotocol/server';
import { inputRequired, isSpecType } from '@modelcontextprotocol/server';

import { askFor, keyOf } from '../mcp/answers.ts';
import type { AskedQuestion } from '../questions/openQuestions.ts';

/** For the client's user, or for its model. */
export function requestFor(asked: AskedQuestion): InputRequiredResult {
  const { sample } = asked.question;
  if (sample === undefined) return askFor(asked);
  // The SDK has checked it where it came from the server.
  const params = sample as unknown as CreateMessageRequestParams;
  return inputRequired({
    inputRequests: { [keyOf(asked)]: inputRequired.createMessage(params) },
    requestState: asked.id,
  });
}

/** Undefined if the client did not send a text of its model. */
export function replyIn(result: unknown): JsonObject | undefined {
  if (!isSpecType.CreateMessageResult(result)) return undefined;
  const { content, model, stopReason } = result;
  if (content.type !== 'text') return undefined;
  return { text: content.text, model, ...(stopReason === undefined ? {} : { stopReason }) };
}
