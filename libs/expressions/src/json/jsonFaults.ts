/** Finds faults in valid JSON that Baton still refuses, each with its pointer. */
import { defined, isDecimalKept, isStorableText } from '@baton/primitives';

import { pointerTo } from '../source/pointer.ts';
import { Source } from '../source/source.ts';
import { isForbiddenKey, jsonLimits } from './jsonLimits.ts';
import { jsonTokens } from './jsonTokens.ts';

export interface JsonFault {
  /** JSON pointer of the value; the place of a syntax error is its line and column. */
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

interface Frame {
  /** The keys of an object; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The key or index of the next value. */
  at: string | number;
  isKeyNext: boolean;
}

const faultsMax = 20;

export function findFaults(text: string, subject: string): JsonFault[] {
  const reading = new JsonReader(subject);
  for (const found of jsonTokens(text)) {
    reading.take(found);
    if (reading.isTooDeep || reading.faults.length >= faultsMax) break;
  }
  return reading.faults;
}

class JsonReader {
  readonly faults: JsonFault[] = [];
  readonly #subject: string;
  readonly #frames: Frame[] = [];
  isTooDeep = false;
  #members = 0;

  constructor(subject: string) {
    this.#subject = subject;
  }

  take(found: string): void {
    const frame = this.#frames.at(-1);
    if (found === '{' || found === '[') this.#open(found);
    else if (found === '}' || found === ']') this.#frames.pop();
    else if (found === ',') this.#next(frame);
    else if (found === ':') return;
    else if (frame?.isKeyNext === true) this.#key(frame, JSON.parse(found) as string);
    else this.#value(found);
  }

  #open(bracket: '{' | '['): void {
    if (this.#frames.length === jsonLimits.depth) {
      this.isTooDeep = true;
      this.#add('too-deep', `${this.#subject} is nested more than ${jsonLimits.depth} deep.`);
    }
    const isObject = bracket === '{';
    this.#frames.push({ keys: isObject ? new Set() : undefined, at: 0, isKeyNext: isObject });
  }

  #next(frame: Frame | undefined): void {
    if (frame === undefined) return;
    if (frame.keys === undefined) frame.at = Number(frame.at) + 1;
    else frame.isKeyNext = true;
  }

  #key(frame: Frame, key: string): void {
    frame.at = key;
    frame.isKeyNext = false;
    this.#members += 1;
    if (this.#members === jsonLimits.keys + 1) {
      this.#add('too-many-keys', `${this.#subject} has more than ${jsonLimits.keys} keys.`);
    }
    const shown = JSON.stringify(key.slice(0, 60));
    if (frame.keys?.has(key) === true) this.#add('duplicate-key', `The key ${shown} occurs twice in this object.`);
    else if (isForbiddenKey(key)) this.#add('forbidden-key', `The key ${shown} is not allowed anywhere.`);
    else if (!isStorableText(key)) this.#add('invalid-string', 'A key holds a NUL or half a surrogate pair.');
    frame.keys?.add(key);
  }

  #value(found: string): void {
    if (found.startsWith('"')) {
      const text = JSON.parse(found) as string;
      if (!isStorableText(text)) this.#add('invalid-string', `A text holds ${unstorableIn(text)}.`);
      return;
    }
    const number = Number(found);
    if (found === 'true' || found === 'false' || found === 'null') return;
    if (!Number.isFinite(number)) this.#add('number-not-finite', 'The number is too large.');
    else if ((/^-?\d+$/.test(found) && !Number.isSafeInteger(number)) || !isDecimalKept(found)) {
      const hint = 'put quotes around it to keep it as text';
      this.#add('number-too-large', 'This number is too large to be stored exactly.', hint);
    }
  }

  #add(code: string, message: string, hint?: string): void {
    const pointer = pointerTo(this.#frames.map(({ at }) => at));
    this.faults.push({ pointer, code, message, ...defined({ hint }) });
  }
}

/** Its first fault, and where. A text may be a whole workflow. */
function unstorableIn(text: string): string {
  const nul = text.indexOf('\0');
  // Half a pair is replaced by U+FFFD, which has the same length.
  const formed = text.toWellFormed();
  const half = text.isWellFormed() ? -1 : text.split('').findIndex((unit, at) => unit !== formed[at]);
  const isNul = nul >= 0 && (half < 0 || nul < half);
  const { line, column } = new Source(text).position(isNul ? nul : half);
  return `${isNul ? 'a NUL' : 'half a surrogate pair'} in line ${line}, column ${column}`;
}
