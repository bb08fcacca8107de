/** Converts a tool's result with `isError` into a failure. */
import { FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type JsonObject, cleanText, defined } from '@baton/primitives';
import { textOf } from '@baton/protocol';

import { saysNotFound } from './rpcFailure.ts';
import { wordsIn } from './serverWords.ts';

/**
 * Servers built on the SDKs refuse invalid arguments with a result whose text is that of a JSON-RPC error: older SDKs
 * put the error code before it.
 */
const turnedAway = /^(?:MCP error )?(?:-32602: |(?=Input validation error: ))(.*)$/s;

export function toolFailure(tool: string, result: JsonObject): FailureError {
  const { content = [], structuredContent } = result;
  // Some servers say only in their structured content why they failed.
  const text = textOf(result).trim() || wordsIn(structuredContent);
  const details: JsonObject = { content, ...defined({ structuredContent }) };
  const shown = cleanText(text, limits.failure.messageCharacters);
  const reason = turnedAway.exec(text)?.[1];
  if (reason?.includes(tool) === true) {
    const code = saysNotFound(reason) ? 'tool-not-found' : 'invalid-arguments';
    return new FailureError(code, shown, { delivery: 'rejected', details });
  }
  return new FailureError('tool-failed', shown === '' ? `The tool "${tool}" reported an error.` : shown, {
    delivery: 'answered',
    details,
  });
}
