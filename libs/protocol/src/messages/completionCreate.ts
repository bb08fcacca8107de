/**
 * `completion/create`: how servers of seed 003 ask for a model's answer. MCP never had this method; its own request
 * with the same meaning is `sampling/createMessage`, and Baton answers both alike.
 *
 *   request   model, systemPrompt, messages with text as their content, maxTokens
 *   answer    content as a list, model, stopReason in snake case, usage
 */
import type { Json, JsonObject } from '@baton/primitives';

/** Its parameters as those of `sampling/createMessage`. */
export function toCreateMessage({ model, messages, ...params }: JsonObject): JsonObject {
  const hints = typeof model === 'string' ? { modelPreferences: { hints: [{ name: model }] } } : {};
  return {
    maxTokens: defaultMaxTokens,
    ...hints,
    ...params,
    messages: Array.isArray(messages) ? (messages as readonly Json[]).map(asMessage) : [],
  };
}

/** A result of `sampling/createMessage` as one of `completion/create`. */
export function fromCreateMessage({ content = [], model = 'unknown', stopReason, usage }: JsonObject): JsonObject {
  return {
    content: Array.isArray(content) ? content : [content],
    model,
    stopReason: typeof stopReason === 'string' ? snake(stopReason) : 'end_turn',
    ...(usage === undefined ? {} : { usage }),
  };
}

const defaultMaxTokens = 1_000;

function asMessage(message: Json): Json {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return message;
  const { content, ...rest } = message as JsonObject;
  return typeof content === 'string' ? { ...rest, content: { type: 'text', text: content } } : message;
}

const snake = (camel: string): string => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
