/**
 * Updates the tokens of a text after a change, in place: reads only the changed top-level step again, or the part above
 * the steps, and moves the tokens after it. Undefined if the change reaches further; then the whole text must be read.
 *
 * The changed part is read together with a guard in place of the next step or key. If the guard is not read as
 * expected, the part no longer ends there: a quote or a bracket is open.
 */
import { limits } from '@baton/expressions';
import type { CST } from 'yaml';

import { type Tokens, tokenize } from './tokens.ts';

interface TokenizedText {
  readonly text: string;
  readonly tokens: Tokens;
}

/** The tokens after a change, and which items of a top-level list are new. */
export interface ChangedTokens extends Tokens {
  /** Undefined: the change is elsewhere. */
  readonly change?: ItemChange;
}

/** One item of a list was replaced by others. */
export interface ItemChange {
  /** The list and its key; its items as they are now. */
  readonly pair: Pair;
  readonly pairIndex: number;
  /** Of the item that is replaced. */
  readonly index: number;
  readonly items: readonly Item[];
  /** How much longer the text is now. */
  readonly by: number;
  readonly isLastItem: boolean;
  /** It is the last item, and no key follows the list. */
  readonly isLast: boolean;
}

type Item = CST.BlockSequence['items'][number];
type Pair = CST.BlockMap['items'][number];

export function changedTokens(before: TokenizedText, text: string): ChangedTokens | undefined {
  const { tokens, problems, isCut } = before.tokens;
  if (text === before.text) return { tokens, problems, isCut, count: before.tokens.count };
  const document = tokens.at(-1);
  const isPlain = problems.length === 0 && !isCut && tokens.every(({ type }) => plainTypes.has(type));
  if (!isPlain || document?.type !== 'document' || document.value?.type !== 'block-map') return undefined;
  const change = changeOf(before.text, text);
  const pairs = document.value.items;
  const at = pairs.findLastIndex(({ value }) => value?.type === 'block-seq' && value.offset < change.from);
  const pair = pairs[at];
  const list = pair?.value;
  if (pair === undefined || list?.type !== 'block-seq')
    return headChanged({ ...before, pairs, end: document.end }, text, change);
  const stretch = stretchOf(before.text, list, pairs[at + 1], change);
  if (hasOpenBracket([...pairs.slice(0, at), ...list.items.slice(0, stretch?.index)])) return undefined;
  const read = stretch && readStretch(stretch, text.slice(stretch.start, stretch.end + change.by));
  const count = before.tokens.count + (read?.count ?? 0);
  if (stretch === undefined || read === undefined || count > limits.document.tokens) return undefined;
  const { index, next, isLast } = stretch;
  const isLastItem = index === list.items.length - 1;
  move([...list.items.slice(index + 1), ...pairs.slice(at + 1)], change.by);
  const [first] = read.items;
  const item = list.items[index];
  if (first !== undefined && item !== undefined) first.start.unshift(...beforeMark(item.start));
  if (next !== undefined) next.start.splice(0, beforeMark(next.start).length, ...read.spaceBehind);
  list.items.splice(index, 1, ...read.items);
  if (isLast) setEnd(document, read.end);
  else move(document.end, change.by);
  const { items } = read;
  return {
    tokens,
    problems,
    isCut,
    count,
    change: { pair, pairIndex: at, index, items, by: change.by, isLastItem, isLast },
  };
}

/** The change is above the first key that holds a list. */
function headChanged(
  before: TokenizedText & { readonly pairs: readonly Pair[]; readonly end: CST.Document['end'] },
  text: string,
  { to, by }: TextChange,
): Tokens | undefined {
  const { pairs, end } = before;
  const at = pairs.findIndex(({ value }) => value?.type === 'block-seq');
  const next = pairs[at];
  const start = next?.key?.offset;
  if (next === undefined || start === undefined || to > start || !isAtColumn(before.text, start, 0)) return undefined;
  const head = text.slice(0, start + by);
  if (head.includes('\t') || !isAtColumn(text, start + by, 0)) return undefined;
  const { tokens, problems, count: read } = tokenize(`${head}${guardKey}: 1\n`);
  const count = before.tokens.count + read;
  const document = tokens.at(-1);
  if (problems.length > 0 || count > limits.document.tokens || !tokens.every(({ type }) => plainTypes.has(type)))
    return undefined;
  if (document?.type !== 'document' || document.value?.type !== 'block-map') return undefined;
  const { items } = document.value;
  const guard = items.pop();
  if (guard?.key?.offset !== head.length || document.value.indent !== 0 || hasOpenBracket(items)) return undefined;
  const rest = pairs.slice(at);
  move(rest, by);
  move(end, by);
  next.start.splice(0, next.start.length, ...guard.start);
  items.push(...rest);
  setEnd(document, end);
  return { tokens, problems, isCut: false, count };
}

const plainTypes = new Set(['comment', 'newline', 'space', 'document']);

interface TextChange {
  readonly from: number;
  /** In the text before. */
  readonly to: number;
  /** How much longer the text is now. */
  readonly by: number;
}

function changeOf(before: string, now: string): TextChange {
  const shorter = Math.min(before.length, now.length);
  let from = 0;
  while (from < shorter && before[from] === now[from]) from++;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === now.at(-1 - same)) same++;
  return { from, to: before.length - same, by: now.length - before.length };
}

/** From the `-` of an item to the `-` of the next one, to the key after the list, or to the end of the text. */
interface Stretch {
  readonly index: number;
  readonly start: number;
  /** In the text before. */
  readonly end: number;
  readonly indent: number;
  readonly next: Item | Pair | undefined;
  /** Nothing follows it. */
  readonly isLast: boolean;
  /** Replaces the text after it. */
  readonly guard: string;
}

/** Undefined if the change is not inside one item, or the items do not begin their lines. */
function stretchOf(
  text: string,
  { items, indent }: CST.BlockSequence,
  pairBehind: Pair | undefined,
  { from, to }: TextChange,
): Stretch | undefined {
  const index = items.findLastIndex(({ start }) => markOf(start) < from);
  const [item, itemBehind] = [items[index], items[index + 1]];
  const start = item && markOf(item.start);
  // A bracket there would be read with the last item.
  if (itemBehind === undefined && pairBehind?.key?.type === 'flow-collection') return undefined;
  const end = itemBehind ? markOf(itemBehind.start) : (pairBehind?.key?.offset ?? text.length);
  const next = itemBehind ?? pairBehind;
  const isLast = next === undefined;
  const endColumn = itemBehind === undefined ? 0 : indent;
  if (start === undefined || !isAtColumn(text, start, indent)) return undefined;
  if (!isLast && (!isAtColumn(text, end, endColumn) || to >= end - endColumn)) return undefined;
  const guardBehind = itemBehind === undefined ? `${guardKey}: 1\n` : '- z\n';
  return { index, start, end, indent, next, isLast, guard: isLast ? '' : guardBehind };
}

const guardKey = 'z';

/** The position of the `-` of an item. */
const markOf = (start: Item['start']): number => start.find(({ type }) => type === 'seq-item-ind')?.offset ?? Infinity;

/** The tokens before the `-`, or before a key. */
function beforeMark(start: Item['start']): Item['start'] {
  const mark = start.findIndex(({ type }) => type === 'seq-item-ind');
  return mark < 0 ? start : start.slice(0, mark);
}

const isAtColumn = (text: string, offset: number, column: number): boolean =>
  text.lastIndexOf('\n', offset - 1) + 1 === offset - column && text.slice(offset - column, offset).trim() === '';

interface StretchRead {
  readonly items: Item[];
  /** The tokens before the `-` or the key after the stretch. */
  readonly spaceBehind: Item['start'];
  readonly end: CST.Document['end'];
  readonly count: number;
}

/** The tokens of the current stretch, with their positions in the whole text. */
function readStretch({ start, indent, guard }: Stretch, text: string): StretchRead | undefined {
  // The meaning of a tab depends on the text around it.
  if (text.includes('\t')) return undefined;
  const before = `k:\n${' '.repeat(indent)}`;
  const { tokens, problems, count } = tokenize(`${before}${text}${guard}`);
  const [document, ...others] = tokens;
  if (problems.length > 0 || others.length > 0 || document?.type !== 'document') return undefined;
  const [pair, ...morePairs] = document.value?.type === 'block-map' ? document.value.items : [];
  const list = pair?.value;
  if (list?.type !== 'block-seq' || list.indent !== indent) return undefined;
  const { items } = list;
  const behind = guard === '' ? undefined : (morePairs.pop() ?? items.pop());
  const guardAt = behind && (behind.key?.offset ?? markOf(behind.start));
  const isApart = behind === undefined ? guard === '' : guardAt === before.length + text.length;
  if (!isApart || items.length === 0 || morePairs.length > 0 || hasOpenBracket(items)) return undefined;
  const spaceBehind = behind === undefined ? [] : beforeMark(behind.start);
  const { end } = document;
  move([...items, { start: spaceBehind }, { end }], start - before.length);
  return { items, spaceBehind, end, count };
}

function setEnd(document: CST.Document, end: CST.Document['end']): void {
  if (end === undefined) delete document.end;
  else document.end = end;
}

/** After an open bracket, the lexer reads the following text differently, although the parser has ended its list. */
function hasOpenBracket(part: TokenPart | readonly TokenPart[] | null | undefined): boolean {
  if (part === null || part === undefined) return false;
  if (isList(part)) return part.some(hasOpenBracket);
  if (part.type === 'flow-collection' && !(part.end as readonly TokenPart[]).some(isClosing)) return true;
  return hasOpenBracket(part.key) || hasOpenBracket(part.value) || hasOpenBracket(part.items);
}

/** Moves the part in place, since copying thousands of tokens would cost more than everything else. */
function move(part: TokenPart | readonly TokenPart[] | null | undefined, by: number): void {
  if (by === 0 || part === null || part === undefined) return;
  if (isList(part)) {
    for (const one of part) move(one, by);
    return;
  }
  if (part.offset !== undefined) part.offset += by;
  for (const name of partNames) move(part[name], by);
}

const isClosing = ({ type }: TokenPart): boolean => type === 'flow-map-end' || type === 'flow-seq-end';

const partNames = ['start', 'key', 'sep', 'value', 'items', 'props', 'end'] as const;

type PartName = (typeof partNames)[number];

/** A token, or an item of a list or a map. */
type TokenPart = { offset?: number; readonly type?: string } & {
  readonly [Name in PartName]?: TokenPart | readonly TokenPart[] | null | undefined;
};

const isList = (part: TokenPart | readonly TokenPart[]): part is readonly TokenPart[] => Array.isArray(part);
