/** Decodes one level of escapes of JSON, URLs or XML, and maps each decoded character to its source position. */
import { once } from '@baton/primitives';

export interface DecodedText {
  readonly text: string;
  /** For each unit of `text`, and for its end: where it begins in the original text. */
  readonly sources: Int32Array;
}

/** Undefined where the text has no escapes. */
export function decodedText(text: string): DecodedText | undefined {
  if (!mayHaveEscapes(text)) return undefined;
  const units = new TracedUnits(text);
  return new Decoder(text, units).run() ? units.result() : undefined;
}

/** `decodedText` without the positions: a tenth of its cost where escapes are rare. */
export function decoded(text: string): string | undefined {
  if (!mayHaveEscapes(text)) return undefined;
  const pieces = new TextBuilder(text);
  return new Decoder(text, pieces).run() ? pieces.result() : undefined;
}

const mayHaveEscapes = (text: string): boolean => text.includes('\\') || text.includes('%') || text.includes('&');

/** Invisible characters: controls except tab and line ends, terminal sequences, fillers, joiners, tags. */
const unseen = String.raw`\x1B\[[0-?]*[ -/]*[@-~]|[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0]|\uDB40[\uDC00-\uDFFF]`;
const skipped = new RegExp(String.raw`[\r\n][\r\n\t ]*|${unseen}`, 'g');
const lineBreaks = /[\r\n][\r\n\t ]*/g;

/** The invisible characters of ASCII. */
const unseenAscii = new RegExp(String.raw`[\0-\x08\x0B\x0C\x0E-\x1F\x7F]`);
/** 1 for each unit that begins a match of `unseen`. No process waits for it before its first text beyond ASCII. */
const unseenTable = once(() => {
  const isUnseen = new RegExp(`^(?:${unseen})`);
  return Uint8Array.from({ length: 0x1_00_00 }, (_, unit) =>
    Number(unit === 0x1b || unit === 0xdb_40 || isUnseen.test(String.fromCharCode(unit))),
  );
});

/**
 * In a text beyond ASCII the regular expression takes 10 ns for each character, and the table 1.4 ns. In ASCII both take
 * the same, but the loop over the table is that fast only once the engine has compiled it.
 */
function mayHaveUnseen(text: string): boolean {
  const { length } = text;
  if (Buffer.byteLength(text) === length) return unseenAscii.test(text);
  const beginsUnseen = unseenTable();
  let found = 0;
  for (let at = 0; at < length; at++) found |= beginsUnseen[text.charCodeAt(at)] ?? 0;
  return found !== 0;
}

const hasBreak = (text: string): boolean => text.includes('\n') || text.includes('\r');

/** `unwrappedText` without the positions. */
export function unwrapped(text: string): string | undefined {
  if (mayHaveUnseen(text)) return text.replaceAll(skipped, '');
  return hasBreak(text) ? text.replaceAll(lineBreaks, '') : undefined;
}

/**
 * Removes line breaks and the indentation after them, with which encoded values are wrapped, and invisible characters,
 * which `cleanText` removes later. Undefined where there are none.
 */
export function unwrappedText(text: string): DecodedText | undefined {
  if (!hasBreak(text) && !mayHaveUnseen(text)) return undefined;
  const sources = new Int32Array(text.length + 1);
  let length = 0;
  const parts: string[] = [];
  let from = 0;
  const take = (until: number): void => {
    parts.push(text.slice(from, until));
    for (let at = from; at < until; at++) sources[length++] = at;
  };
  for (const { index, 0: gap } of text.matchAll(skipped)) {
    take(index);
    from = index + gap.length;
  }
  take(text.length);
  sources[length] = text.length;
  return { text: parts.join(''), sources: sources.subarray(0, length + 1) };
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

/** Receives the decoder's output, in order. */
interface Decoding {
  /** Copies these units of the text unchanged. */
  copy(from: number, until: number): void;
  /** Writes the character that is escaped at `at`. */
  put(codePoint: number, at: number): void;
}

class TracedUnits implements Decoding {
  readonly #text: string;
  readonly #units: Uint16Array;
  readonly #sources: Int32Array;
  #length = 0;

  constructor(text: string) {
    this.#text = text;
    this.#units = new Uint16Array(text.length);
    this.#sources = new Int32Array(text.length + 1);
  }

  copy(from: number, until: number): void {
    for (let at = from; at < until; at++) this.#push(this.#text.charCodeAt(at), at);
  }

  put(codePoint: number, at: number): void {
    if (codePoint > 0xff_ff) {
      this.#push(0xd8_00 + ((codePoint - 0x1_00_00) >> 10), at);
      this.#push(0xdc_00 + ((codePoint - 0x1_00_00) & 0x3_ff), at);
    } else this.#push(codePoint, at);
  }

  result(): DecodedText {
    this.#sources[this.#length] = this.#text.length;
    return {
      text: Buffer.from(this.#units.buffer, 0, this.#length * 2).toString('utf16le'),
      sources: this.#sources.subarray(0, this.#length + 1),
    };
  }

  #push(unit: number, at: number): void {
    this.#sources[this.#length] = at;
    this.#units[this.#length++] = unit;
  }
}

/** Shorter stretches are copied unit by unit. */
const longStretch = 64;
/** Units that are converted to a text together. */
const unitsMost = 1_024;

class TextBuilder implements Decoding {
  readonly #text: string;
  readonly #parts: string[] = [];
  /** Units that are not yet in `#parts`. */
  #units: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  copy(from: number, until: number): void {
    if (until - from >= longStretch) {
      this.#flush();
      this.#parts.push(this.#text.slice(from, until));
    } else {
      for (let at = from; at < until; at++) this.#push(this.#text.charCodeAt(at));
    }
  }

  put(codePoint: number): void {
    if (codePoint > 0xff_ff) {
      this.#push(0xd8_00 + ((codePoint - 0x1_00_00) >> 10));
      this.#push(0xdc_00 + ((codePoint - 0x1_00_00) & 0x3_ff));
    } else this.#push(codePoint);
  }

  result(): string {
    this.#flush();
    return this.#parts.join('');
  }

  #push(unit: number): void {
    if (this.#units.push(unit) >= unitsMost) this.#flush();
  }

  #flush(): void {
    if (this.#units.length === 0) return;
    this.#parts.push(String.fromCharCode.apply(undefined, this.#units));
    this.#units = [];
  }
}

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
  readonly #decoding: Decoding;
  #at = 0;
  /** Start of the text that is not copied yet. */
  #from = 0;

  constructor(text: string, decoding: Decoding) {
    this.#text = text;
    this.#decoding = decoding;
  }

  /** Decodes the text; false if it has no escapes. */
  run(): boolean {
    const text = this.#text;
    const backslash = new CharacterSearch(text, '\\');
    const percent = new CharacterSearch(text, '%');
    const ampersand = new CharacterSearch(text, '&');
    for (;;) {
      const at = this.#at;
      this.#at = Math.min(backslash.after(at), percent.after(at), ampersand.after(at));
      if (this.#at >= text.length) break;
      if (!this.#escape(text.charCodeAt(this.#at))) this.#at += 1;
    }
    if (this.#from === 0) return false;
    this.#decoding.copy(this.#from, text.length);
    return true;
  }

  #escape(unit: number): boolean {
    if (unit === 92) return this.#backslash();
    return unit === 37 ? this.#percent() : this.#entity();
  }

  /** Writes one character in place of `skipped` units. */
  #put(codePoint: number, skipped: number): true {
    this.#decoding.copy(this.#from, this.#at);
    this.#decoding.put(codePoint, this.#at);
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
