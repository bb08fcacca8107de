/** Finds what keeps a text from being JSON that Baton takes, each fault with its place. */
import { defined, isDecimalKept, isStorableText } from '@baton/primitives';
import { type JSONVisitor, visit } from 'jsonc-parser';

import { pointerTo } from '../source/pointer.ts';
import { Source } from '../source/source.ts';
import { isForbiddenKey, jsonLimits } from './jsonLimits.ts';

export interface JsonFault {
  /** JSON pointer of the value; the place of a syntax error is its line and column. */
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

type Path = readonly (string | number)[];

const faultsMax = 20;

/** Ends a visit. The visitor of `jsonc-parser` calls itself for each level, so a deep text must end it too. */
const enough = new Error('enough');

/** Where a text stops being JSON, or nests too deeply: the engine does not always say. */
export function syntaxFault(text: string, subject: string): JsonFault {
  const reader = new JsonReader(text, subject);
  const place = (offset: number): JsonFault => {
    const { line, column } = new Source(text).position(offset);
    const message = `${subject} stops being JSON at line ${line}, column ${column}.`;
    return { line, column, code: 'json-syntax', message };
  };
  let stop = text.length;
  const { onObjectBegin, onObjectEnd, onArrayBegin, onArrayEnd } = reader;
  const onError = (_: number, offset: number): never => {
    stop = offset;
    throw enough;
  };
  visitJson(text, { onObjectBegin, onObjectEnd, onArrayBegin, onArrayEnd, onError });
  return reader.faults[0] ?? place(stop);
}

/** The faults of a text that is JSON, and that Baton still refuses. */
export function findFaults(text: string, subject: string): readonly JsonFault[] {
  const reader = new JsonReader(text, subject);
  visitJson(text, reader);
  return reader.faults;
}

function visitJson(text: string, visitor: JSONVisitor): void {
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (error !== enough) throw error;
  }
}

class JsonReader implements JSONVisitor {
  readonly faults: JsonFault[] = [];
  readonly #text: string;
  readonly #subject: string;
  /** The keys of each open object; nothing for a list. */
  readonly #open: Set<string>[] = [];
  #members = 0;

  constructor(text: string, subject: string) {
    this.#text = text;
    this.#subject = subject;
  }

  readonly onObjectBegin: NonNullable<JSONVisitor['onObjectBegin']> = (_offset, _length, _line, _character, path) => {
    if (this.#open.length === jsonLimits.depth) {
      this.#add(path(), 'too-deep', `${this.#subject} is nested more than ${jsonLimits.depth} deep.`);
      throw enough;
    }
    this.#open.push(new Set());
  };

  readonly onArrayBegin = this.onObjectBegin;
  readonly onObjectEnd = (): void => {
    this.#open.pop();
  };

  readonly onArrayEnd = this.onObjectEnd;

  readonly onObjectProperty: NonNullable<JSONVisitor['onObjectProperty']> = (
    key,
    _offset,
    _length,
    _line,
    _at,
    path,
  ) => {
    const add = (code: string, message: string): void => this.#add([...path(), key], code, message);
    const keys = this.#open.at(-1);
    this.#members += 1;
    if (this.#members === jsonLimits.keys + 1) {
      add('too-many-keys', `${this.#subject} has more than ${jsonLimits.keys} keys.`);
    }
    const shown = JSON.stringify(key.slice(0, 60));
    if (keys?.has(key) === true) add('duplicate-key', `The key ${shown} occurs twice in this object.`);
    else if (isForbiddenKey(key)) add('forbidden-key', `The key ${shown} is not allowed anywhere.`);
    else if (!isStorableText(key)) add('invalid-string', 'A key holds a NUL or half a surrogate pair.');
    keys?.add(key);
  };

  readonly onLiteralValue: NonNullable<JSONVisitor['onLiteralValue']> = (value, offset, length, _line, _at, path) => {
    const written = this.#text.slice(offset, offset + length);
    if (typeof value === 'string') {
      if (!isStorableText(value)) this.#add(path(), 'invalid-string', `A text holds ${unstorableIn(value)}.`);
    } else if (typeof value !== 'number') return;
    else if (!Number.isFinite(value)) this.#add(path(), 'number-not-finite', 'The number is too large.');
    else if ((/^-?\d+$/.test(written) && !Number.isSafeInteger(value)) || !isDecimalKept(written)) {
      const hint = 'put quotes around it to keep it as text';
      this.#add(path(), 'number-too-large', 'This number is too large to be stored exactly.', hint);
    }
  };

  #add(path: Path, code: string, message: string, hint?: string): void {
    this.faults.push({ pointer: pointerTo(path), code, message, ...defined({ hint }) });
    if (this.faults.length >= faultsMax) throw enough;
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
