/** Reads the body of a delivery: what its sender wrote, whole, in any form that senders use. */
import { isUtf8 } from 'node:buffer';

import { ProblemError } from '@baton/api';
import type { WebhookTrigger } from '@baton/language';
import type { Json } from '@baton/primitives';

import { parseSenderJson, storable } from '../http/json/senderJson.ts';

/**
 * JSON and forms are parsed, also JSON without a content type. Any other text is itself, and what is no text is base64.
 * Throws `ProblemError` if a body that calls itself JSON is not.
 */
export function deliveredBody(type: string, bytes: Buffer, scheme: WebhookTrigger['scheme']): Json {
  const text = textIn(type, bytes);
  if (text === undefined) return bytes.toString('base64');
  if (/^application\/([\w.+-]+\+)?json\b/i.test(type)) return text === '' ? null : parseSenderJson(text);
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return formOf(text, scheme);
  return (type === '' ? jsonIn(text) : undefined) ?? storable(text);
}

/** In the charset that the type names; undefined if the bytes are no text. */
function textIn(type: string, bytes: Buffer): string | undefined {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type) ?? [];
  if (/^utf-?8$/i.test(charset) && !isUtf8(bytes)) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
  }
}

/** An object or a list; undefined if the text is anything else. */
function jsonIn(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseSenderJson(text);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** A field that occurs several times is a list. GitHub sends its JSON as the field `payload`, if it sends forms. */
function formOf(text: string, scheme: WebhookTrigger['scheme']): Json {
  const fields = new Map<string, Json[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const isPayload = scheme === 'github' && name === 'payload';
    const values = fields.get(storable(name)) ?? [];
    values.push((isPayload ? jsonIn(value) : undefined) ?? storable(value));
    fields.set(storable(name), values);
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')]),
  );
}
