/**
 * Finds the end of a payload, byte by byte, and continues where it stopped when more bytes arrive.
 *
 * A payload ends at the first `##END` outside of a JSON string. So it is enough to know whether the position is inside
 * a string, and no payload is parsed twice. If another frame begins inside the payload, with a byte that neither text
 * nor JSON has there, the first frame was never finished.
 */
import { endMark, startMark, typeBytes } from './frame.ts';

export type PayloadEnd =
  /** The payload ends at `at`; the next frame begins at `next`, after `##END`. */
  | { readonly kind: 'end'; readonly at: number; readonly next: number }
  /** This is no payload; the next frame may begin at `next` or later. */
  | { readonly kind: 'broken'; readonly why: string; readonly next: number };

const quote = 0x22;
const backslash = 0x5c;
const hash = 0x23;
const firstPrintable = 0x20;

const types: ReadonlySet<number | undefined> = new Set(Object.values(typeBytes));
const isType = (byte: number | undefined): boolean => types.has(byte);

const end = Buffer.from(endMark);
const start = Buffer.from(startMark);

export class PayloadScan {
  readonly #isJson: boolean;
  readonly #bytesMax: number;
  #at = 0;
  #inString = false;

  constructor(isJson: boolean, bytesMax: number) {
    this.#isJson = isJson;
    this.#bytesMax = bytesMax;
  }

  /** `payload` begins with the payload and holds all that has come. Undefined: more is needed. */
  find(payload: Buffer): PayloadEnd | undefined {
    while (this.#at < payload.length) {
      if (this.#at > this.#bytesMax) return this.#broken(`has more than ${this.#bytesMax} bytes`, this.#at);
      const found = this.#inString ? this.#inText(payload) : this.#outside(payload);
      if (found === 'more') return undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** One step inside a string of JSON. */
  #inText(payload: Buffer): PayloadEnd | 'more' | undefined {
    const at = this.#at;
    const byte = payload[at];
    if (byte === backslash) {
      if (at + 1 >= payload.length) return 'more';
      // A control character cannot be escaped like this: it is examined by itself.
      this.#at += (payload[at + 1] ?? 0) < firstPrintable ? 1 : 2;
      return undefined;
    }
    if (byte !== undefined && byte < firstPrintable) return this.#control(payload, at);
    if (byte === quote) this.#inString = false;
    this.#at += 1;
    return undefined;
  }

  #control(payload: Buffer, at: number): PayloadEnd {
    const begin = at - start.length;
    const isFrame = begin >= 0 && isType(payload[at]) && start.equals(payload.subarray(begin, at));
    if (isFrame) return this.#broken('has no end', begin);
    return this.#broken('holds a control character inside a string', at);
  }

  #outside(payload: Buffer): PayloadEnd | 'more' | undefined {
    const at = this.#at;
    const byte = payload[at];
    if (byte === hash && mayGoOn(payload[at + 1], payload[at + 2])) {
      const rest = payload.subarray(at, at + start.length + 1);
      if (startsWith(rest, end)) return { kind: 'end', at, next: at + end.length };
      if (startsWith(rest, start) && isType(rest[start.length])) return this.#broken('has no end', at);
      if (isBeginning(rest, end) || isBeginning(rest, start)) return 'more';
    } else if (byte === quote && this.#isJson) this.#inString = true;
    this.#at += 1;
    return undefined;
  }

  #broken(why: string, next: number): PayloadEnd {
    return { kind: 'broken', why, next };
  }
}

/** Compares what follows the first `#` of a mark; fast, since a peer may send nothing but these. */
const mayGoOn = (second: number | undefined, third: number | undefined): boolean =>
  (second === undefined || second === hash) && (third === undefined || third === end[2] || third === start[2]);

const startsWith = (bytes: Buffer, mark: Buffer): boolean =>
  bytes.length >= mark.length && mark.equals(bytes.subarray(0, mark.length));

/** It may be the mark, but is incomplete. */
const isBeginning = (bytes: Buffer, mark: Buffer): boolean =>
  bytes.length <= mark.length && bytes.equals(mark.subarray(0, bytes.length));
