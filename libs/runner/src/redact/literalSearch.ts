/**
 * Finds many literals in a text at once (Wu and Manber, 1994): it reads three characters and skips the positions at which
 * no literal can begin. A text without literals costs well under a nanosecond per character, however many there are.
 */

import { type Slices, unitsPerSlice } from './slices.ts';

/** Half open, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const block = 3;
const mask = 0xff_ff;

export class LiteralSearch {
  readonly #window: number;
  readonly #charactersMin: number;
  /** How far the window may advance, by its last three characters. */
  readonly #leaps = new Uint8Array(mask + 1);
  /** Literals whose window ends in these characters. */
  readonly #candidates = new Map<number, string[]>();

  /** Each literal has at least three characters. */
  constructor(literals: readonly string[]) {
    this.#charactersMin = Math.min(...literals.map(({ length }) => length));
    const shortest = Math.min(this.#charactersMin, 64);
    this.#window = shortest;
    this.#leaps.fill(shortest - block + 1);
    for (const literal of literals) {
      for (let last = block - 1; last < shortest; last++) {
        const key = keyAt(literal, last);
        const leap = shortest - 1 - last;
        if (leap < (this.#leaps[key] ?? 0)) this.#leaps[key] = leap;
        if (leap === 0) this.#candidates.set(key, [...(this.#candidates.get(key) ?? []), literal]);
      }
    }
  }

  /** The shortest literal. */
  get charactersMin(): number {
    return this.#charactersMin;
  }

  /** Whether a short text contains one of the literals. */
  isInShort(text: string): boolean {
    const found: Span[] = [];
    this.#walk(text, this.#window - 1, found, 1);
    return found.length > 0;
  }

  /** Whether the text contains one of the literals. */
  *isIn(text: string): Slices<boolean> {
    const found: Span[] = [];
    for (let last = this.#window - 1; ;) {
      last = this.#walk(text, last, found, 1);
      if (found.length > 0) return true;
      if (last >= text.length) return false;
      yield;
    }
  }

  /** All occurrences, in order of their beginnings; they may overlap. At most one more than `most`. */
  *in(text: string, most: number): Slices<readonly Span[]> {
    const found: Span[] = [];
    for (let last = this.#window - 1; ;) {
      last = this.#walk(text, last, found, most + 1);
      if (last >= text.length || found.length > most) return found;
      yield;
    }
  }

  /** Searches a slice of the text, and returns where the next one begins. */
  #walk(text: string, from: number, found: Span[], enough: number): number {
    const window = this.#window;
    const leaps = this.#leaps;
    const until = Math.min(from + unitsPerSlice, text.length);
    let last = from;
    while (last < until) {
      const key = keyAt(text, last);
      const leap = leaps[key] ?? 1;
      if (leap === 0) {
        const start = last - window + 1;
        for (const literal of this.#candidates.get(key) ?? [])
          if (text.startsWith(literal, start)) found.push({ start, end: start + literal.length });
        last += 1;
        if (found.length >= enough) return last;
      } else last += leap;
    }
    return last;
  }
}

const keyAt = (text: string, last: number): number =>
  ((text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last)) & mask;
