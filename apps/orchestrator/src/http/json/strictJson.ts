/**
 * Parses JSON from outside, and refuses JSON that two readers could understand differently: duplicate keys, numbers
 * that would be rounded, text that Postgres cannot store, keys with a meaning in JavaScript.
 *
 * The usual body is parsed by the engine and checked once. Only a faulty body is read again, slowly, to say what is
 * wrong and where.
 */
import { isUtf8 } from 'node:buffer';

import { ProblemError, isStorableText } from '@baton/api';
import type { Json } from '@baton/language';
import { Source } from '@baton/language';

import { findFaults } from './jsonFaults.ts';
import { isForbiddenKey, jsonLimits } from './jsonLimits.ts';
import { stopsAt } from './jsonSyntax.ts';

/** Throws `ProblemError`. */
export function parseStrictJson(bytes: Buffer): Json {
  const text = textOf(bytes);
  const value = parse(text);
  const looked = new JsonSurvey();
  const members = looked.at(value, 0) ? looked.members : undefined;
  if (members !== undefined && members <= jsonLimits.keys && members === membersIn(text)) return value;
  const faults = findFaults(text);
  // An integer written as a float, such as 1e300, is fine.
  if (faults.length === 0) return value;
  const isDuplicate = faults.some(({ code }) => code === 'duplicate-key');
  const [first] = faults;
  throw new ProblemError(
    isDuplicate ? 'duplicate-key' : 'validation-failed',
    first?.message ?? 'The body contains a value that Baton cannot store.',
    { errors: faults },
  );
}

/** Throws `ProblemError` if the bytes are not UTF-8. Drops a byte order mark. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ProblemError('malformed-request', 'The body is not UTF-8.');
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function parse(text: string): Json {
  if (text.trim() === '') throw new ProblemError('malformed-request', 'The body is empty; JSON is required.');
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw notJson(text, cause);
  }
}

/** Not the engine's own message: it quotes the body. */
function notJson(text: string, cause: unknown): ProblemError {
  const { line, column } = new Source(text).position(stopsAt(text));
  const message = `The body stops being JSON at line ${line}, column ${column}.`;
  return new ProblemError('malformed-request', message, {
    errors: [{ line, column, code: 'json-syntax', message }],
    cause,
  });
}

class JsonSurvey {
  members = 0;

  /** Counts the members of objects; false if a value needs the slow check. */
  at(value: Json, depth: number): boolean {
    if (typeof value === 'string') return isStorableText(value);
    if (typeof value === 'number')
      return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (typeof value !== 'object' || value === null) return true;
    if (depth === jsonLimits.depth) return false;
    if (Array.isArray(value)) return (value as readonly Json[]).every((one) => this.at(one, depth + 1));
    for (const [key, one] of Object.entries(value)) {
      this.members += 1;
      if (isForbiddenKey(key) || !isStorableText(key) || !this.at(one, depth + 1)) return false;
    }
    return true;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** The number of colons outside strings: a duplicate key is one member and two colons. */
function membersIn(text: string): number {
  let members = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString && code === backslash) at += 1;
    else if (code === quote) isInString = !isInString;
    else if (code === colon && !isInString) members += 1;
  }
  return members;
}
