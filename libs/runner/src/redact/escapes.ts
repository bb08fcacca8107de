/** Decodes one level of escapes of JSON, URLs or XML. */
import { type Slices, unitsPerSlice } from './slices.ts';
import { type TextOutput, type TracedText, outputFor } from './tracedText.ts';

const mayHaveEscapes = (text: string): boolean => text.includes('\\') || text.includes('%') || text.includes('&');

/** Undefined where the text has no escapes. */
export function* decoded(text: string, isTraced: boolean): Slices<TracedText | undefined> {
  if (!mayHaveEscapes(text)) return undefined;
  const output = outputFor(text, isTraced);
  const decoder = new Decoder(text, output);
  for (let until = unitsPerSlice; !decoder.decode(until); until += unitsPerSlice) yield;
  return decoder.hasDecoded ? output.result() : undefined;
}

const named: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39, nbsp: 32 };
const entity = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/y;
const bracedUnicode = /\\u\{([\da-fA-F]{1,6})\}/y;
/** `\b \f \n \r \t`, and the characters that stand for themselves. */
const shortEscapes: Readonly<Record<string, number>> = {
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  '"': 34,
  "'": 39,
  '/': 47,
  '\\': 92,
  '`': 96,
  $: 36,
};
const lastCodePoint = 0x10_ff_ff;

/** Finds the next occurrence of one character, and searches again only after it: native search is quick for rare ones. */
class CharacterSearch {
  readonly #text: string;
  readonly #character: string;
  #at = -1;

  constructor(text: string, character: string) {
    this.#text = text;
    this.#character = character;
  }

  /** Position of the next occurrence at `from` or later; the end of the text if there is none. */
  after(from: number): number {
    if (this.#at < from) {
      const found = this.#text.indexOf(this.#character, from);
      this.#at = found < 0 ? this.#text.length : found;
    }
    return this.#at;
  }
}

class Decoder {
  readonly #text: string;
  readonly #output: TextOutput;
  readonly #searches: readonly CharacterSearch[];
  #at = 0;
  /** Start of the text that is not copied yet. */
  #from = 0;
  hasDecoded = false;

  constructor(text: string, output: TextOutput) {
    this.#text = text;
    this.#output = output;
    this.#searches = ['\\', '%', '&'].map((character) => new CharacterSearch(text, character));
  }

  /** Decodes up to about there. True at the end of the text. */
  decode(until: number): boolean {
    const text = this.#text;
    const [backslash, percent, ampersand] = this.#searches;
    if (backslash === undefined || percent === undefined || ampersand === undefined) return true;
    while (this.#at < until) {
      const at = this.#at;
      this.#at = Math.min(backslash.after(at), percent.after(at), ampersand.after(at));
      if (this.#at >= text.length) break;
      if (!this.#escape(text.charCodeAt(this.#at))) this.#at += 1;
    }
    const end = Math.min(this.#at, text.length);
    if (this.hasDecoded || end < text.length) this.#output.copy(this.#from, end);
    this.#from = end;
    return end >= text.length;
  }

  #escape(unit: number): boolean {
    if (unit === 92) return this.#backslash();
    return unit === 37 ? this.#percent() : this.#entity();
  }

  /** Writes one character in place of `skipped` units. */
  #put(codePoint: number, skipped: number): true {
    this.#output.copy(this.#from, this.#at);
    this.#output.put(codePoint, this.#at);
    this.hasDecoded = true;
    this.#at += skipped;
    this.#from = this.#at;
    return true;
  }

  #backslash(): boolean {
    const next = this.#text.charAt(this.#at + 1);
    if (next === 'u' || next === 'x') return this.#unicode(next === 'u' ? 4 : 2);
    const unit = shortEscapes[next];
    return unit !== undefined && this.#put(unit, 2);
  }

  #unicode(digits: 4 | 2): boolean {
    const unit = hexAt(this.#text, this.#at + 2, digits);
    if (unit !== undefined) return this.#put(unit, 2 + digits);
    bracedUnicode.lastIndex = this.#at;
    const braced = bracedUnicode.exec(this.#text);
    return braced !== null && this.#codePoint(Number.parseInt(braced[1] ?? '', 16), braced[0].length);
  }

  /** Decodes a UTF-8 character (RFC 3986, section 2.5); a byte that begins none is read as Latin-1. */
  #percent(): boolean {
    const first = hexAt(this.#text, this.#at + 1, 2);
    if (first === undefined) return false;
    const more = continuationBytes(first);
    let codePoint = more === 0 ? first : first & (0x3f >> more);
    for (let count = 1; count <= more; count++) {
      const at = this.#at + count * 3;
      const byte = this.#text.charCodeAt(at) === 37 ? hexAt(this.#text, at + 1, 2) : undefined;
      if (byte === undefined || (byte & 0xc0) !== 0x80) return this.#put(first, 3);
      codePoint = (codePoint << 6) | (byte & 0x3f);
    }
    return this.#codePoint(codePoint, (more + 1) * 3);
  }

  #entity(): boolean {
    entity.lastIndex = this.#at;
    const found = entity.exec(this.#text);
    if (found === null) return false;
    const [all, decimal, hex, name = ''] = found;
    if (decimal !== undefined) return this.#codePoint(Number(decimal), all.length);
    if (hex !== undefined) return this.#codePoint(Number.parseInt(hex, 16), all.length);
    const codePoint = named[name];
    return codePoint !== undefined && this.#codePoint(codePoint, all.length);
  }

  #codePoint(codePoint: number, skipped: number): boolean {
    return codePoint <= lastCodePoint && this.#put(codePoint, skipped);
  }
}

/** How many bytes of a UTF-8 character follow this one. */
function continuationBytes(first: number): number {
  if (first >= 0xf0) return 3;
  if (first >= 0xe0) return 2;
  return first >= 0xc0 ? 1 : 0;
}

/** Undefined where these are not hexadecimal digits. */
function hexAt(text: string, at: number, digits: number): number | undefined {
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = hexDigit(text.charCodeAt(index));
    if (digit < 0) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

/** -1 for any other code unit, and for NaN. */
function hexDigit(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 48;
  const lower = unit | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
