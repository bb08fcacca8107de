/**
 * Answers whose bytes held a secret. The redactor writes `[secret]` in its place, and what is left is no base64: clients
 * would refuse the whole answer. So a text that says this replaces the bytes.
 */
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { secretMark } from '@baton/runner';

/** Base64 has no brackets, so only the redactor writes the mark. */
const isCut = (bytes: Json | undefined): boolean => typeof bytes === 'string' && bytes.includes(secretMark);

const textFor = (what: string): string => `The ${what} contained a secret, so Baton left it out.`;

/** A content block of a tool or of a prompt. */
export function readableBlock(block: Json): Json {
  if (!isObject(block)) return block;
  const { type, data, resource } = block;
  if ((type === 'image' || type === 'audio') && isCut(data)) return { type: 'text', text: textFor(type) };
  const isFile = type === 'resource' && isObject(resource) && isCut(resource['blob']);
  return isFile ? { type: 'text', text: textFor('file') } : block;
}

/** The result of a prompt or of a resource. */
export function readableResult(result: JsonObject): JsonObject {
  const { messages, contents } = result;
  return {
    ...result,
    ...(Array.isArray(messages) ? { messages: (messages as readonly Json[]).map(readableMessage) } : {}),
    ...(Array.isArray(contents) ? { contents: (contents as readonly Json[]).map(readableContents) } : {}),
  };
}

const readableMessage = (message: Json): Json =>
  isObject(message) ? { ...message, content: readableBlock(message['content'] ?? null) } : message;

function readableContents(contents: Json): Json {
  if (!isObject(contents) || !isCut(contents['blob'])) return contents;
  const { blob: _blob, ...rest } = contents;
  return { ...rest, mimeType: 'text/plain', text: textFor('file') };
}
