/** Parses the JSON of a request by the rules of `readJson`, and answers a fault with a problem. */
import { isUtf8 } from 'node:buffer';

import { ProblemError } from '@baton/api';
import { readJson } from '@baton/expressions';
import type { Json } from '@baton/primitives';

/** Throws `ProblemError`. */
export function parseStrictJson(bytes: Buffer): Json {
  const text = textOf(bytes);
  if (text.trim() === '') throw new ProblemError('malformed-request', 'The body is empty; JSON is required.');
  const reading = readJson(text, 'The body');
  if ('value' in reading) return reading.value;
  const { faults } = reading;
  throw new ProblemError(codeOf(faults.map(({ code }) => code)), faults[0].message, { errors: [...faults] });
}

function codeOf(faults: readonly string[]): 'malformed-request' | 'duplicate-key' | 'validation-failed' {
  if (faults.includes('json-syntax')) return 'malformed-request';
  return faults.includes('duplicate-key') ? 'duplicate-key' : 'validation-failed';
}

/** Throws `ProblemError` if the bytes are not UTF-8. Drops a byte order mark. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ProblemError('malformed-request', 'The body is not UTF-8.');
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
