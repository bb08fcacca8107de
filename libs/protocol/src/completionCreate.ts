/**
 * `completion/create`: how seed 003 has servers ask for a model's answer. It never was a method of MCP; the same question
 * is `sampling/createMessage` there, and both are answered alike.
 *
 *   asked     model, systemPrompt, messages with text as their content, maxTokens
 *   answered  content as a list, model, stopReason in snake case, usage
 */
import type { Json, JsonObject } from '@baton/language';

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
