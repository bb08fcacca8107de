/**
 * The position of one text in another, in time linear in both (Knuth, Morris, Pratt 1977). V8's own search is usually
 * faster, but takes time in the product of both lengths for crafted texts: two million characters blocked it for a
 * minute.
 */
const productMax = 4_000;
const productPerUnit = 200;
const charactersPerUnit = 16;

export class TextSearch {
  readonly #part: string;
  #signs: Uint16Array | undefined;
  #borders: Int32Array | undefined;

  constructor(part: string) {
    this.#part = part;
  }

  /** The cost of a search, in units of an evaluation, beyond that of reading the text. */
  costIn(value: string): number {
    const { length } = this.#part;
    return this.#isQuick(value)
      ? Math.min(productMax, length * value.length) / productPerUnit
      : (value.length + length) / charactersPerUnit;
  }

  /** The first position at or after `from`; -1 if there is none. */
  first(value: string, from = 0): number {
    if (this.#isQuick(value)) return value.indexOf(this.#part, from);
    return this.#scan(value, from, value.length, false);
  }

  /** The last position at or before `upTo`; -1 if there is none. */
  last(value: string, upTo = value.length): number {
    if (this.#isQuick(value)) return value.lastIndexOf(this.#part, upTo);
    return this.#scan(value, 0, upTo, true);
  }

  #isQuick(value: string): boolean {
    const { length } = this.#part;
    return length <= 1 || length * value.length <= productMax;
  }

  #scan(value: string, from: number, upTo: number, isForLast: boolean): number {
    const signs = (this.#signs ??= signsOf(this.#part));
    const borders = (this.#borders ??= bordersOf(signs));
    const { length } = signs;
    const end = Math.min(value.length, upTo + length);
    let found = -1;
    for (let at = from, same = 0; at < end; at++) {
      const sign = value.charCodeAt(at);
      while (same > 0 && signs[same] !== sign) same = borders[same - 1] ?? 0;
      if (signs[same] === sign) same++;
      if (same < length) continue;
      found = at - length + 1;
      if (!isForLast) return found;
      same = borders[same - 1] ?? 0;
    }
    return found;
  }
}

const signsOf = (part: string): Uint16Array =>
  Uint16Array.from({ length: part.length }, (_, at) => part.charCodeAt(at));

/** For each prefix of the part: the length of its longest suffix that is also a prefix. */
function bordersOf(signs: Uint16Array): Int32Array {
  const borders = new Int32Array(signs.length);
  for (let at = 1, same = 0; at < signs.length; at++) {
    while (same > 0 && signs[same] !== signs[at]) same = borders[same - 1] ?? 0;
    if (signs[same] === signs[at]) same++;
    borders[at] = same;
  }
  return borders;
}
