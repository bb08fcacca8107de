/** What a server says in a refusal, in its own words: out of JSON-RPC errors, problems, pages and plain text. */
import { isObject } from '@baton/primitives';

/** Where servers put their words; the first that holds any counts. */
const members = ['message', 'error_description', 'detail', 'details', 'description', 'reason', 'msg', 'title'];
const depthMax = 4;

/** Empty if there are none. */
export function wordsIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return depth > depthMax ? '' : wordsIn(value[0], depth + 1);
  if (!isObject(value) || depth > depthMax) return '';
  for (const member of members) {
    const words = wordsIn(value[member], depth + 1);
    if (words !== '') return words;
  }
  return wordsIn(value['error'] ?? value['errors'], depth + 1);
}

/** The words in the body of an answer. */
export function wordsOfBody(body: string): string {
  const text = body.trim();
  if (text.startsWith('{') || text.startsWith('[') || text.startsWith('"')) {
    const words = wordsIn(parsed(text));
    if (words !== '') return words;
  }
  return /^<(?:!doctype|html|head|body|h\d|p\b|\?xml)/i.test(text) ? wordsOfPage(text) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Only the beginning is read: pages can be large. */
const pageCharacters = 4_000;

function wordsOfPage(page: string): string {
  const beginning = page.slice(0, pageCharacters);
  const words = beginning
    .replaceAll(/<(script|style|head)\b[^]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const title = /<title[^<>]*>([^<]*)/i.exec(beginning)?.[1]?.trim() ?? '';
  return words.startsWith(title) || title === '' ? words : `${title}: ${words}`;
}
