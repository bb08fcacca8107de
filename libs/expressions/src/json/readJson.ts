/**
 * Reads JSON from people and programs, and refuses JSON that two readers could understand differently: duplicate keys,
 * numbers that would be rounded, text that Postgres cannot store, keys with a meaning in JavaScript.
 *
 * The usual text is parsed by the engine and checked once. Only a faulty text is read again, slowly, to say what is
 * wrong and where.
 */
import { isStorableText, type Json } from '@baton/primitives';

import { type JsonFault, findFaults, syntaxFault } from './jsonFaults.ts';
import { isForbiddenKey, jsonLimits } from './jsonLimits.ts';

export type JsonReading = { readonly value: Json } | { readonly faults: readonly [JsonFault, ...JsonFault[]] };

/** `subject` has the faults, in the words of their messages: `The body`. */
export function readJson(text: string, subject: string): JsonReading {
  const parsed = parse(text, subject);
  if ('faults' in parsed) return parsed;
  const { value } = parsed;
  const looked = new JsonSurvey();
  const members = looked.at(value, 0) ? looked.members : undefined;
  if (members !== undefined && members <= jsonLimits.keys && members === membersIn(text)) return parsed;
  const [first, ...others] = findFaults(text, subject);
  // An integer written as a float, such as 1e300, is fine.
  return first === undefined ? parsed : { faults: [first, ...others] };
}

/** The fault is not told in the engine's own words: they quote the text. */
function parse(text: string, subject: string): JsonReading {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { faults: [syntaxFault(text, subject)] };
  }
}

/** Whether an object of a valid JSON text has a key twice: all but the last value would be lost. */
export function hasDuplicateKey(text: string, value: Json): boolean {
  return membersOf(value) !== membersIn(text);
}

function membersOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value) as readonly Json[];
  const own = Array.isArray(value) ? 0 : items.length;
  return items.reduce<number>((sum, one) => sum + membersOf(one), own);
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
