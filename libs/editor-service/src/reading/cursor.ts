/**
 * Finds the place of the cursor in an unfinished text. A mark replaces the word under the cursor, the parser of `check`
 * reads the text, and the mark is searched for in the result. If the text is incomplete at the cursor, it is completed
 * first: a quote, a bracket, a key without its colon.
 */
import { childOf, type Span } from '@baton/expressions';
import { type Document, DocumentReader } from '@baton/language';
import type { Json } from '@baton/primitives';

import { closersOf } from './closers.ts';

/** A name in YAML and in CEL that no author writes. */
export const mark = 'Cursor0Mark';

export interface Cursor {
  /** The value of the whole text, which contains the mark. */
  readonly value: Json;
  /** Of the map if a key is typed; else of the value. */
  readonly pointer: string;
  readonly kind: 'key' | 'value';
  /** Of a value: its whole text, including the mark. */
  readonly text: string;
  /** The typed text that the mark replaces: the word under the cursor, up to the cursor. */
  readonly typed: string;
  /** The word under the cursor. */
  readonly word: Span;
  /** The whole value, without its quotes; of a key, the key. */
  readonly whole: Span;
  readonly isQuoted: boolean;
  /** The part of the line before the word. */
  readonly linePrefix: string;
  /** In `{ }` or `[ ]`. */
  readonly isFlow: boolean;
  /** The key has no value yet. */
  readonly isNew: boolean;
}

interface MarkedText {
  readonly text: string;
  /** The text that was added to the word. */
  readonly added: string;
}

/** Possible places of the cursor, likelier first. */
export function cursorsAt(text: string, offset: number, reader: DocumentReader): Cursor[] {
  const around = aroundCursor(text, offset);
  const found = readings(around, reader);
  // If the line read alone has another place, a mistake before it has swallowed it.
  const alone =
    found.some(({ isBroken }) => isBroken) || found.length === 0 ? readings(aloneOf(around), new DocumentReader()) : [];
  const isSwallowed = alone.length > 0 && !alone.some((one) => found.some((other) => shapeOf(one) === shapeOf(other)));
  return distinct((isSwallowed ? alone : found).map(({ cursor }) => cursor));
}

interface CursorReading {
  readonly cursor: Cursor;
  readonly isBroken: boolean;
}

const readings = (around: CursorLine, reader: DocumentReader): CursorReading[] =>
  candidatesOf(around).flatMap((group) => firstOf(around, group, reader) ?? []);

const shapeOf = ({ cursor: { pointer, kind } }: CursorReading): string => `${kind} ${pointer.replaceAll(/\d+/g, '#')}`;

function aloneOf(around: CursorLine): CursorLine {
  const text = ancestorsOnly(around.text, around.lineEnd);
  return { ...around, text };
}

const distinct = (found: readonly Cursor[]): Cursor[] =>
  found.filter((one, i) => found.findIndex(({ kind, pointer }) => kind === one.kind && pointer === one.pointer) === i);

interface CursorLine {
  readonly text: string;
  readonly word: Span;
  readonly typed: string;
  readonly linePrefix: string;
  readonly lineRest: string;
  /** Of the line. */
  readonly lineEnd: number;
}

function aroundCursor(text: string, offset: number): CursorLine {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const newline = text.indexOf('\n', offset);
  const lineEnd = newline < 0 ? text.length : newline;
  const typed = /[A-Za-z0-9_]*$/.exec(text.slice(lineStart, offset))?.[0] ?? '';
  const after = /^[A-Za-z0-9_]*/.exec(text.slice(offset, lineEnd))?.[0] ?? '';
  const word: Span = [offset - typed.length, offset + after.length];
  const linePrefix = text.slice(lineStart, word[0]);
  return { text, word, typed, linePrefix, lineRest: text.slice(word[1], lineEnd), lineEnd };
}

/** Groups of variants of the text; of each group, the first that can be read counts. */
function candidatesOf({ text, word, linePrefix, lineRest, lineEnd }: CursorLine): MarkedText[][] {
  const before = text.slice(0, word[0]) + (/[\w"'}\]]:$/.test(linePrefix) ? ' ' : '');
  const after = text.slice(lineEnd);
  const close = closersOf(linePrefix);
  const as = (added: string, rest: string): MarkedText => ({ text: before + mark + added + rest, added });
  const plain = [as('', lineRest + after), as(close, after), as(close, '')];
  if (!/^\s*(?:- +)*[\w-]*$/.test(linePrefix)) return [plain];
  const colon = lineRest.trimStart().startsWith(':') ? '' : ':';
  const isBare = /^[ \t\r]*(?:#.*)?$/.test(lineRest);
  const asKey = [as(colon, lineRest + after), as(colon, '')];
  if (colon === '') return [asKey];
  return isBare ? [asKey, plain] : [plain];
}

function firstOf(around: CursorLine, group: readonly MarkedText[], reader: DocumentReader): CursorReading | undefined {
  let best: { readonly cursor: Cursor; readonly problems: number } | undefined;
  for (const one of group) {
    const document = reader.read(one.text);
    const cursor = find(around, one, document);
    const problems = document.problems.length;
    if (cursor !== undefined && (best === undefined || problems < best.problems)) best = { cursor, problems };
    if (best?.problems === 0) break;
  }
  return best && { cursor: best.cursor, isBroken: best.problems > 0 };
}

function find(around: CursorLine, { text, added }: MarkedText, document: Document): Cursor | undefined {
  const { value } = document;
  const at = value === undefined ? undefined : markIn(value, '');
  if (value === undefined || at === undefined) return undefined;
  const pointer = at.kind === 'key' ? childOf(at.pointer, at.text) : at.pointer;
  const span = document.spanOf({ code: 'assumed', message: '', pointer, ...(at.kind === 'key' ? { at: 'key' } : {}) });
  // The added colon turned text into a key: in a block text, or after a `- `.
  if (at.kind === 'value' && added === ':') return undefined;
  const isQuoted = /["']/.test(text.charAt(span[0]));
  const shift = around.word[1] - around.word[0] - mark.length - (at.kind === 'key' ? 0 : added.length);
  const start = span[0] + (isQuoted ? 1 : 0);
  const end = Math.min(span[1] + shift - (isQuoted && added === '' ? 1 : 0), around.lineEnd);
  const isMarkStart = around.word[0];
  return {
    value,
    ...at,
    typed: around.typed,
    word: around.word,
    whole: [Math.min(start, isMarkStart), Math.max(end, around.word[1])],
    isQuoted,
    linePrefix: around.linePrefix,
    isFlow: isInFlow(around.linePrefix),
    isNew: !around.lineRest.trimStart().startsWith(':'),
  };
}

const isInFlow = (linePrefix: string): boolean => /[}\]]/.test(closersOf(linePrefix));

type MarkPlace = Pick<Cursor, 'pointer' | 'kind' | 'text'>;

function markIn(value: Json, pointer: string): MarkPlace | undefined {
  if (typeof value === 'string') return value.includes(mark) ? { pointer, kind: 'value', text: value } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, one] of Object.entries(value)) {
    if (key.includes(mark)) return { pointer, kind: 'key', text: key };
    const found = markIn(one, childOf(pointer, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Blanks all lines of a text except those that one line depends on: its enclosing keys, and the keys beside it that
 * precede it. Positions stay valid, and mistakes elsewhere do not matter.
 */
function ancestorsOnly(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  const own = lines.pop() ?? '';
  const kept: string[] = [];
  let column = columnOf(own);
  let dash = own.search(/\S/);
  for (const line of lines.toReversed()) {
    const start = line.search(/\S/);
    const isBeside = columnOf(line) === column && start >= 0 && !own.trimStart().startsWith('- ') && dash >= 0;
    const isAround = start >= 0 && start < Math.min(column, dash < 0 ? column : dash);
    if (isAround) {
      column = columnOf(line);
      dash = start;
    }
    kept.push(isAround || (isBeside && start >= dash) ? line : ' '.repeat(line.length));
    // The first key of an item: lines above belong to another item.
    if (isBeside && start < column) dash = start;
  }
  return [...kept.toReversed(), own].join('\n');
}

/** The column of the key, after the dash of its item. */
const columnOf = (line: string): number => /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0;
