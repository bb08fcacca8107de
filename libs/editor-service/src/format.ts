/**
 * A file with its keys in the order in which the language declares them, and no white space at the ends of lines.
 * Entries move unchanged, with the comments before them; other formatting of the author stays.
 */
import type { Span } from '@baton/expressions';
import { verbs, Document, type BlockMap, type Layout } from '@baton/language';
import type { Json } from '@baton/primitives';

import { placeAt } from './reading/filePlace.ts';
import { propertiesAt } from './schemas/schemaNode.ts';

/**
 * Returns the same text if it cannot be read, or if moving an entry would change its meaning. A file with line ends of
 * Windows keeps them.
 */
export function format(text: string): string {
  if (!text.includes('\r\n')) return formatted(text);
  const lines = text.replaceAll('\r\n', '\n');
  const written = formatted(lines);
  return written === lines ? text : written.replaceAll('\n', '\r\n');
}

function formatted(text: string): string {
  const document = new Document(text);
  const { value } = document;
  if (value === undefined || value === null || document.problems.length > 0) return text;
  const layout = document.layout();
  const moved = new KeyOrder(document.source.text, value, layout).written();
  const tidied = withoutLooseSpace(moved);
  return [tidied, moved].find((one) => isSame(one, document.source.text, value)) ?? text;
}

function isSame(written: string, before: string, value: Json): boolean {
  const again = new Document(written);
  if (again.problems.length > 0 || JSON.stringify(sorted(again.value ?? null)) !== JSON.stringify(sorted(value)))
    return false;
  return commentsOf(written) === commentsOf(before);
}

const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
};

const commentsOf = (text: string): string =>
  [...text.matchAll(/(?:^|\s)#[^\n]*/g)]
    .map(([one]) => one.trim())
    .toSorted()
    .join('\n');

/** Does not change lines inside multi-line texts. */
function withoutLooseSpace(text: string): string {
  const texts = new Document(text)
    .layout()
    .texts.filter(([start, end]) => text.slice(start, end).trimEnd().includes('\n'));
  let at = 0;
  const lines = text.split('\n').map((line) => {
    const start = at;
    at += line.length + 1;
    const isInText = texts.some(([from, to]) => start + line.length > from && start < to);
    return isInText ? line : line.trimEnd();
  });
  return `${lines.join('\n').trimEnd()}\n`;
}

/** In front of all others, in this order. */
const heads: readonly string[] = ['id', 'title', 'if', 'needs'];
/** Behind all others. */
const tails: readonly string[] = ['steps', 'collect', 'onError', 'undo'];

class KeyOrder {
  readonly #text: string;
  readonly #value: Json;
  readonly #maps: readonly BlockMap[];

  constructor(text: string, value: Json, { maps }: Layout) {
    this.#text = text;
    this.#value = value;
    this.#maps = maps.filter(({ entries }) => entries.length > 1 && this.#isByLine(entries.map(({ span }) => span)));
  }

  written(): string {
    return this.#between(0, this.#text.length);
  }

  /** Every key but the first stands alone at the beginning of its line. */
  #isByLine(spans: readonly Span[]): boolean {
    return spans.every(([start], i) => i === 0 || /^ *$/.test(this.#lineBefore(start)));
  }

  #lineBefore(at: number): string {
    return this.#text.slice(this.#text.lastIndexOf('\n', at - 1) + 1, at);
  }

  #between(start: number, end: number): string {
    const inside = this.#maps.filter(({ entries }) => {
      const from = entries[0]?.span[0] ?? -1;
      return from >= start && this.#endOf(entries.at(-1)?.span ?? [0, 0]) <= end;
    });
    let at = start;
    const parts: string[] = [];
    for (const map of inside) {
      const from = map.entries[0]?.span[0] ?? 0;
      if (from < at) continue;
      const to = this.#endOf(map.entries.at(-1)?.span ?? [0, 0]);
      // The part between entries; the entries themselves follow.
      parts.push(this.#text.slice(at, from), this.#map(map, to));
      at = to;
    }
    return parts.join('') + this.#text.slice(at, end);
  }

  /** The end of the line on which an entry ends. */
  #endOf([start, end]: Span): number {
    const last = start + this.#text.slice(start, end).trimEnd().length;
    const newline = this.#text.indexOf('\n', last);
    return newline < 0 ? this.#text.length : newline + 1;
  }

  #map({ pointer, entries }: BlockMap, to: number): string {
    const first = entries[0]?.span[0] ?? 0;
    const starts = entries.map((_, i) => (i === 0 ? first : this.#endOf(entries[i - 1]?.span ?? [0, 0])));
    const indent = this.#lineBefore(first).replaceAll(/[^ ]/g, ' ');
    const chunks = entries.map(({ name, span: [key, end] }, i) => {
      const start = starts[i] ?? 0;
      const stop = starts[i + 1] ?? to;
      // The key is not part of the map inside.
      const valueAt = Math.min(end, key + name.length);
      const text = this.#text.slice(start, valueAt) + this.#between(valueAt, stop);
      return { name, text: (i === 0 ? indent : '') + (text.endsWith('\n') ? text : `${text}\n`) };
    });
    const ordered = this.#isOrdered(pointer) ? this.#inOrder(pointer, chunks) : chunks;
    const whole = ordered.map(({ text }) => text).join('');
    const head = ordered[0]?.text ?? '';
    // Behind the hyphen of an item there is no room for a comment.
    const isAlone = /^ *$/.test(this.#lineBefore(first)) && head.startsWith(indent) && !/^ *\n/.test(head);
    const isFirstFree = /^ *[^\s#]/.test(head) || isAlone;
    return (isFirstFree ? whole : chunks.map(({ text }) => text).join('')).slice(indent.length);
  }

  /** Whether the language orders the keys; maps with the author's own keys keep their order. */
  #isOrdered(pointer: string): boolean {
    const { nodes, isForeign } = placeAt(this.#value, pointer, {});
    return !isForeign && nodes.some(({ schema }) => schema['properties'] !== undefined);
  }

  #inOrder<T extends { readonly name: string }>(pointer: string, chunks: readonly T[]): T[] {
    const declared = propertiesAt(placeAt(this.#value, pointer, {}).nodes).map(({ name }) => name);
    const rankOf = (name: string): number => {
      if (pointer === '' || !declared.includes('id')) return declared.indexOf(name);
      if (heads.includes(name)) return heads.indexOf(name) - 1_000;
      if (tails.includes(name)) return tails.indexOf(name) + 1_000;
      return verbs.some((verb) => verb === name) ? -1 : declared.indexOf(name);
    };
    return chunks.toSorted((a, b) => rankOf(a.name) - rankOf(b.name));
  }
}
