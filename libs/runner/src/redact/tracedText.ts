/** Builds a text out of pieces of another one, with or without the positions that its characters come from. */

export interface TracedText {
  readonly text: string;
  /** For each unit of `text`, and for its end: where it begins in the original text. Absent: not traced. */
  readonly sources?: Int32Array;
}

/** Receives pieces, in order. */
export interface TextOutput {
  /** Copies these units of the original unchanged. */
  copy(from: number, until: number): void;
  /** Writes a character in place of what is at `at`. */
  put(codePoint: number, at: number): void;
  result(): TracedText;
}

/** `isTraced`: ten times the cost where little is changed. */
export const outputFor = (text: string, isTraced: boolean): TextOutput =>
  isTraced ? new TracedUnits(text) : new TextBuilder(text);

class TracedUnits implements TextOutput {
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

  result(): TracedText {
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
const unitsMax = 1_024;

class TextBuilder implements TextOutput {
  readonly #text: string;
  readonly #parts: string[] = [];
  /** Units that are not yet in `#parts`. */
  readonly #units = new Uint16Array(unitsMax);
  #length = 0;

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

  result(): TracedText {
    this.#flush();
    return { text: this.#parts.join('') };
  }

  #push(unit: number): void {
    this.#units[this.#length++] = unit;
    if (this.#length === unitsMax) this.#flush();
  }

  #flush(): void {
    if (this.#length === 0) return;
    this.#parts.push(
      String.fromCharCode.apply(undefined, this.#units.subarray(0, this.#length) as unknown as number[]),
    );
    this.#length = 0;
  }
}
