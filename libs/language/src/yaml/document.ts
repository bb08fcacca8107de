/** A parsed YAML or JSON text: its value, its mistakes, and the position of each part. */
import { limits, excerpt, childOf, segmentsOf, Source, type Position, type Span } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { type Node, type Pair, isCollection, isMap, isScalar, isSeq } from 'yaml';

import type { Finding } from '../finding.ts';
import { severityOf } from '../findingCodes.ts';
import type { Problem } from '../problem.ts';
import { changedTokens } from './changedTokens.ts';
import { changedTree } from './changedTree.ts';
import { keyOf, spanOf } from './json.ts';
import { type Layout, layoutOf } from './layout.ts';
import { scalarSpans } from './scalarSpans.ts';
import { type Tokens, tokenize } from './tokens.ts';
import { type DocumentTree, treeOf } from './tree.ts';

/** Lists of the author's names can have hundreds of entries. */
const expectedMax = 240;

/** A finding with its place for editors: UTF-16 offsets. */
export interface Diagnostic extends Finding {
  readonly span: Span;
}

/** Reports a bare key that has another problem only once, with the hint. */
function withBareKeys(problems: readonly Problem[], bareKeys: readonly Problem[]): readonly Problem[] {
  if (bareKeys.length === 0) return problems;
  const told = new Map(problems.flatMap((one) => (one.at === 'key' ? [[one.pointer, one] as const] : [])));
  const hints = new Map(bareKeys.map(({ pointer, hint }) => [pointer, hint]));
  const hinted = problems.map((one) =>
    one.at === 'key' && one.hint === undefined && hints.has(one.pointer)
      ? { ...one, hint: hints.get(one.pointer) }
      : one,
  );
  return [...hinted, ...bareKeys.filter(({ pointer }) => !told.has(pointer))];
}

interface NodePlace {
  readonly key: Node | undefined;
  readonly value: Node | null | undefined;
}

/** One side of `key: value`; items of lists are values. */
export interface NodeSide {
  readonly pointer: string;
  readonly side: 'key' | 'value';
}

/** A text without its byte order mark. */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

export class Document {
  readonly source: Source;
  /** Undefined: nothing could be read. */
  readonly value: Json | undefined;
  /** Syntax errors; each has its span. */
  readonly problems: readonly Problem[];
  /** Keys in `{ }` without a value. */
  readonly bareKeys: readonly Problem[];
  readonly #tree: DocumentTree;
  #tokens: Tokens | undefined;

  /** `tokens`: of the text, if they exist already. `readTree`: reads its tree from them. */
  constructor(given: string, tokens?: Tokens, readTree = treeOf) {
    const text = withoutMark(given);
    this.source = new Source(text);
    this.#tokens = tokens ?? tokenize(text);
    this.#tree = readTree(this.source, this.#tokens);
    this.value = this.#tree.value;
    this.problems = this.#tree.problems;
    this.bareKeys = this.#tree.bareKeys;
  }

  /** Sorted by place, without duplicates, limited. */
  findings(problems: readonly Problem[]): Finding[] {
    return this.diagnostics(problems).map(({ span: _span, ...finding }) => finding);
  }

  /** The same, with spans. */
  diagnostics(given: readonly Problem[]): Diagnostic[] {
    const problems = withBareKeys(given, this.bareKeys);
    const placed = problems.map((problem) => ({ problem, span: this.spanOf(problem) }));
    placed.sort((a, b) => a.span[0] - b.span[0] || a.span[1] - b.span[1]);
    const seen = new Set<string>();
    const diagnostics: Diagnostic[] = [];
    for (const { problem, span } of placed) {
      const identity = `${problem.code} ${span[0]} ${problem.message}`;
      if (seen.has(identity)) continue;
      seen.add(identity);
      diagnostics.push({ ...this.#finding(problem, span), span });
      if (diagnostics.length === limits.document.findings) break;
    }
    return diagnostics;
  }

  /** The key or the value at an offset; undefined between them. */
  nodeAt(offset: number): NodeSide | undefined {
    let pointer = '';
    let node: Node | null | undefined = this.#tree.root;
    while (isCollection(node)) {
      const next: NodeSide | (NodePlace & { segment: string | number }) | undefined = childNear(node, offset, pointer);
      if (next === undefined || 'side' in next) return next;
      pointer = childOf(pointer, next.segment);
      node = next.value;
    }
    return isScalar(node) ? { pointer, side: 'value' } : undefined;
  }

  /** The offset relative to the text value at the pointer; undefined outside of it. */
  offsetWithin(pointer: string, offset: number): number | undefined {
    const { value } = this.#placeAt(pointer);
    if (!isScalar(value)) return undefined;
    const span = spanOf(value);
    if (offset < span[0] || offset > span[1]) return undefined;
    if (this.#tree.mended.has(span[0])) return offset - span[0];
    const at = scalarSpans(this.source.text, value, span).findLastIndex(([start]) => start <= offset);
    return at < 0 ? undefined : at;
  }

  /** 1-based. */
  placeOf(place: Pick<Problem, 'pointer' | 'within'>): Position {
    return this.source.position(this.spanOf({ ...place, code: 'assumed', message: '' })[0]);
  }

  /** The place of a problem in the text. */
  spanOf({ pointer, at, within, span }: Problem): Span {
    if (span !== undefined) return span;
    const { key, value } = this.#placeAt(pointer);
    if (within !== undefined && isScalar(value)) return this.#spanWithin(value, within);
    if (at === 'key' && key !== undefined) return spanOf(key);
    const own = value === null || value === undefined ? undefined : spanOf(value);
    if (own === undefined || own[0] === own[1])
      return key === undefined ? this.#dashBefore(own?.[0] ?? 0) : spanOf(key);
    return isCollection(value) ? this.#spanOfCollection(value, own, key) : this.#trimmed(own);
  }

  /** The whole range of a key with its value, which a problem there may affect. */
  extentOf(pointer: string): Span {
    const { key, value } = this.#placeAt(pointer);
    const start = key ?? value;
    const own = value === null || value === undefined ? undefined : spanOf(value);
    return start === undefined || start === null ? [0, 0] : [spanOf(start)[0], own?.[1] ?? spanOf(start)[1]];
  }

  /**
   * The document after a change, made from this one, which must not be used afterwards. Undefined if the change reaches
   * too far; this document is then unchanged.
   */
  afterChange(text: string): Document | undefined {
    const tokens = this.#tokens && changedTokens({ text: this.source.text, tokens: this.#tokens }, text);
    if (tokens === undefined) return undefined;
    this.#tokens = undefined;
    const { change } = tokens;
    const readTree: typeof treeOf = (source, read) =>
      text === this.source.text
        ? this.#tree
        : ((change && changedTree(this.#tree, source, change)) ?? treeOf(source, read));
    return new Document(text, tokens, readTree);
  }

  layout(): Layout {
    return layoutOf(this.#tree.root);
  }

  #finding(problem: Problem, span: Span): Finding {
    const { code, message, expected, found, hint, pointer, other } = problem;
    return {
      code,
      severity: severityOf(code),
      message: other === undefined ? message : `${message} ${this.#whereIs(other)}`,
      ...this.source.position(span[0]),
      path: pointer,
      ...(expected === undefined ? {} : { expected: excerpt(expected, expectedMax) }),
      ...(found === undefined ? {} : { found: excerpt(found) }),
      ...(hint === undefined ? {} : { hint }),
      frame: this.source.frame(span),
    };
  }

  #whereIs(pointer: string): string {
    const { line, column } = this.placeOf({ pointer });
    return `The other is at line ${line}, column ${column}.`;
  }

  #placeAt(pointer: string): NodePlace {
    let place: NodePlace = { key: undefined, value: this.#tree.root };
    for (const segment of segmentsOf(pointer)) {
      const next = childAt(place.value, segment);
      // A missing part is reported at the value that lacks it.
      if (next === undefined) return place;
      place = next;
    }
    return place;
  }

  #spanWithin(node: Node & { value: unknown }, [from, to]: Span): Span {
    const span = spanOf(node);
    if (!isScalar(node) || this.#tree.mended.has(span[0])) return [span[0] + from, span[0] + to];
    const spans = scalarSpans(this.source.text, node, span);
    const start = spans[Math.min(from, spans.length - 1)]?.[0] ?? span[0];
    const end = spans[Math.min(to, spans.length) - 1]?.[1] ?? start;
    return [start, Math.max(start, end)];
  }

  /** A list or a map is marked at its key; without one, at its first key, or itself. */
  #spanOfCollection(node: Node, own: Span, key: Node | undefined): Span {
    if (key !== undefined) return spanOf(key);
    const first = isMap(node) ? node.items[0]?.key : undefined;
    if (first !== undefined) return spanOf(first as Node);
    return this.#trimmed(own);
  }

  /** The dash of an item without a value, which ends before the offset; the start of the file if there is none. */
  #dashBefore(offset: number): Span {
    const dash = this.source.text.lastIndexOf('-', offset - 1);
    return offset === 0 || dash < 0 ? [0, 0] : [dash, dash + 1];
  }

  #trimmed([start, end]: Span): Span {
    const text = this.source.text.slice(start, end).trimEnd();
    return [start, start + Math.max(1, text.length)];
  }
}

/** The child around an offset. */
function childNear(
  node: Node,
  offset: number,
  pointer: string,
): NodeSide | (NodePlace & { readonly segment: string | number }) | undefined {
  if (isSeq(node)) {
    const segment = node.items.findIndex((one) => isAround(one as Node | null, offset));
    return segment < 0 ? undefined : { segment, key: undefined, value: node.items[segment] as Node };
  }
  if (!isMap(node)) return undefined;
  for (const pair of node.items as Pair<Node, Node | null>[]) {
    const segment = keyOf(pair);
    if (isAround(pair.key, offset)) return { pointer: childOf(pointer, segment), side: 'key' };
    if (isAround(pair.value, offset)) return { segment, key: pair.key, value: pair.value };
  }
  return undefined;
}

function isAround(node: Node | null | undefined, offset: number): boolean {
  if (node === null || node === undefined) return false;
  const [start, end] = spanOf(node);
  return offset >= start && offset <= end;
}

function childAt(node: Node | null | undefined, segment: string): NodePlace | undefined {
  if (isMap(node)) {
    const pair = (node.items as Pair<Node, Node | null>[]).find((one) => keyOf(one) === segment);
    return pair && { key: pair.key, value: pair.value };
  }
  if (!isSeq(node)) return undefined;
  const item = node.items[Number(segment)];
  return item === undefined ? undefined : { key: undefined, value: item as Node };
}
