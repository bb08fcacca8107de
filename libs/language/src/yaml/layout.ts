/** The layout of a document: ranges that an editor folds, and entries that a formatter may move. */
import { childOf, type Span } from '@baton/expressions';
import { type Node, type Pair, isMap, isScalar, isSeq } from 'yaml';

import { keyOf, spanOf } from './json.ts';

interface MapEntry {
  readonly name: string;
  /** From the key to the end of its value. */
  readonly span: Span;
}

/** A map with a line for each key. */
export interface BlockMap {
  readonly pointer: string;
  readonly entries: readonly MapEntry[];
}

export interface Layout {
  /** Outermost first. */
  readonly maps: readonly BlockMap[];
  /** Of keys with their values, and of items. */
  readonly extents: readonly Span[];
  /** Texts, without comments. */
  readonly texts: readonly Span[];
}

export function layoutOf(root: Node | null | undefined): Layout {
  const layout = { maps: [] as BlockMap[], extents: [] as Span[], texts: [] as Span[] };
  visit(layout, root, '');
  return layout;
}

interface LayoutInMaking extends Layout {
  readonly maps: BlockMap[];
  readonly extents: Span[];
  readonly texts: Span[];
}

function visit(layout: LayoutInMaking, node: Node | null | undefined, pointer: string): void {
  if (isScalar(node)) layout.texts.push(spanOf(node));
  if (isSeq(node)) {
    node.items.forEach((item, i) => {
      layout.extents.push(spanOf(item as Node));
      visit(layout, item as Node, childOf(pointer, i));
    });
  }
  if (!isMap(node)) return;
  const pairs = node.items as Pair<Node, Node | null>[];
  const entries = pairs.map((pair): MapEntry => ({ name: keyOf(pair), span: entrySpan(pair) }));
  if (node.flow !== true) layout.maps.push({ pointer, entries });
  pairs.forEach((pair, i) => {
    const span = entries[i]?.span;
    if (span !== undefined) layout.extents.push(span);
    visit(layout, pair.value, childOf(pointer, keyOf(pair)));
  });
}

function entrySpan({ key, value }: Pair<Node, Node | null>): Span {
  const [start, keyEnd] = spanOf(key);
  const end = value === null ? keyEnd : spanOf(value)[1];
  return [start, Math.max(keyEnd, end)];
}
