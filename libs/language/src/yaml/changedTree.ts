/**
 * Updates the tree of a text after a change, in place: composes only the new top-level steps, and moves the nodes after
 * them. Undefined if the text has a mistake before or after; then the whole text must be composed.
 */
import { childOf, type Source } from '@baton/expressions';
import { isObject, type Json } from '@baton/primitives';
import { type CST, type ParsedNode, type YAMLSeq, isMap, isScalar, isSeq } from 'yaml';

import type { ItemChange } from './changedTokens.ts';
import { composeTokens } from './compose.ts';
import { keyOf, toJson } from './json.ts';
import type { DocumentTree } from './tree.ts';

export function changedTree(before: DocumentTree, source: Source, change: ItemChange): DocumentTree | undefined {
  const { root, value } = before;
  const { pairIndex, index, by, isLast, isLastItem } = change;
  const pair = isMap(root) ? root.items[pairIndex] : undefined;
  const list = pair?.value;
  if (!isSound(before) || !isMap(root) || pair === undefined || !isSeq(list) || !isObject(value)) return undefined;
  const key = keyOf(pair);
  const items = value[key];
  const composed = composeItems(change, source.text.length);
  const fresh = composed && valuesOf(source, composed.list.items, childOf('', key), index);
  if (composed === undefined || fresh === undefined || !Array.isArray(items)) return undefined;
  for (const one of list.items.splice(index, list.items.length - index, ...composed.list.items).slice(1)) {
    shift(one, by);
    list.items.push(one);
  }
  for (const one of root.items.slice(pairIndex + 1)) {
    shift(one.key, by);
    shift(one.value, by);
  }
  setEnd(list, isLastItem ? composed.list : undefined, by);
  setEnd(root, isLast ? composed.root : undefined, by);
  return { ...before, value: { ...value, [key]: items.toSpliced(index, 1, ...fresh) } };
}

const isSound = ({ problems, bareKeys, mended }: DocumentTree): boolean =>
  problems.length === 0 && bareKeys.length === 0 && mended.size === 0;

interface ComposedItems {
  readonly root: ParsedNode;
  readonly list: YAMLSeq.Parsed;
}

/** The new items, as a document of their own that keeps their positions. */
function composeItems({ pair, items }: ItemChange, length: number): ComposedItems | undefined {
  const { key, sep, value: list } = pair;
  if (list?.type !== 'block-seq' || !key) return undefined;
  const { offset } = key;
  const only = { start: [], key, sep: sep ?? [], value: { ...list, items: [...items] } };
  const map: CST.BlockMap = { type: 'block-map', offset, indent: 0, items: [only] };
  const [document, ...others] = composeTokens([{ type: 'document', offset, start: [], value: map }], length);
  const root = document?.contents;
  const isWhole = others.length === 0 && document?.errors.length === 0 && isMap(root);
  const composed = isWhole ? root.items[0]?.value : undefined;
  return isWhole && isSeq(composed) ? { root, list: composed } : undefined;
}

/** Undefined if one of them has a mistake. */
function valuesOf(source: Source, nodes: readonly ParsedNode[], pointer: string, from: number): Json[] | undefined {
  let isWrong = false;
  const wrong = (): void => {
    isWrong = true;
  };
  const reading = { source, mended: new Map(), report: wrong, reportBare: wrong };
  const values = nodes.map((node, i) => toJson(reading, node, childOf(pointer, from + i)));
  return isWrong ? undefined : values;
}

function setEnd({ range }: Pick<ParsedNode, 'range'>, like: Pick<ParsedNode, 'range'> | undefined, by: number): void {
  range[1] = like?.range[1] ?? range[1] + by;
  range[2] = like?.range[2] ?? range[2] + by;
}

/** In place, since copying thousands of nodes would cost more than everything else. */
function shift(part: unknown, by: number): void {
  if (by === 0 || !(isMap(part) || isSeq(part) || isScalar(part))) return;
  const { range } = part;
  if (range) {
    range[0] += by;
    range[1] += by;
    range[2] += by;
  }
  if (isScalar(part)) return;
  for (const one of part.items) {
    if (isMap(part)) {
      const { key, value } = one as { key: unknown; value: unknown };
      shift(key, by);
      shift(value, by);
    } else shift(one, by);
  }
}
