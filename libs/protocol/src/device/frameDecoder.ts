/**
 * Reads frames off a stream that may be cut anywhere. It never throws, holds at most one frame, reads every byte once,
 * and recovers at the next frame after a fault; its result does not depend on the cuts.
 */
import { isUtf8 } from 'node:buffer';

import { parseExactly } from '@baton/primitives';

import { isDeeperThan } from '../messages/content.ts';
import { ByteQueue } from './byteQueue.ts';
import { type DeviceFrame, type FrameKind, sequenceDigits, startMark, taskCharacters, typeBytes } from './frame.ts';
import { PayloadScan } from './payloadEnd.ts';

/** Bytes that are no frame; why, as the end of a sentence, such as `a frame of type "json" has no end`. */
export interface FrameFault {
  readonly kind: 'fault';
  readonly problem: string;
}

export interface FrameLimits {
  /** Of one payload. */
  readonly payloadBytes: number;
  /** Levels of a JSON message. */
  readonly depth: number;
}

interface Header {
  readonly kind: FrameKind;
  readonly taskId: string;
  readonly sequence: number;
}

const start = Buffer.from(startMark);
const kinds = new Map(Object.entries(typeBytes).map(([kind, byte]) => [byte, kind as FrameKind]));
/** With the sequence in brackets. */
const headBytes = 1 + taskCharacters + sequenceDigits + 2;
const head = /^([\x21-\x7E]{8})(?:\[(\d{4})\]|(\d{4}))/;
const headBeginning = /^(?:[\x21-\x7E]{0,7}|[\x21-\x7E]{8}(?:\d{0,3}|\[\d{0,4}))$/;
/** This many bytes outside of frames are one fault. */
const rubbishBytes = 4_096;

export class FrameDecoder {
  readonly #limits: FrameLimits;
  readonly #queue = new ByteQueue();
  #header: Header | undefined;
  #scan: PayloadScan | undefined;
  /** Between frames, and not only white space. */
  #rubbish = 0;
  /** The rest of a fault that was already reported. */
  #isExcused = false;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** The frames and faults that end in this chunk, in order. */
  push(chunk: Uint8Array): (DeviceFrame | FrameFault)[] {
    const found: (DeviceFrame | FrameFault)[] = [];
    this.#queue.push(chunk);
    while (this.#header === undefined ? this.#findHeader(found) : this.#findEnd(this.#header, found)) continue;
    return found;
  }

  /** False: more is needed. */
  #findHeader(found: (DeviceFrame | FrameFault)[]): boolean {
    const bytes = this.#queue.view;
    const at = bytes.indexOf(start);
    this.#skip(at < 0 ? bytes.length - beginningAtEnd(bytes) : at, found);
    if (at < 0) return false;
    const after = this.#queue.view.subarray(start.length, start.length + headBytes);
    const header = readHeader(after);
    if (header === 'more') return false;
    if (this.#rubbish > 0 && !this.#isExcused) found.push(fault(`${this.#rubbish} bytes stand between frames`));
    this.#rubbish = 0;
    if (header === undefined) {
      found.push(fault('a frame does not begin with a type, a task and a sequence'));
      this.#isExcused = true;
      this.#queue.drop(start.length);
      return true;
    }
    this.#isExcused = false;
    this.#queue.drop(start.length + header.bytes);
    this.#header = header;
    this.#scan = new PayloadScan(header.kind === 'json', this.#limits.payloadBytes);
    return true;
  }

  #skip(count: number, found: (DeviceFrame | FrameFault)[]): void {
    for (const byte of this.#queue.view.subarray(0, count)) if (!isWhite(byte)) this.#rubbish += 1;
    this.#queue.drop(count);
    for (; this.#rubbish >= rubbishBytes; this.#rubbish -= rubbishBytes) {
      found.push(fault(`${rubbishBytes} bytes are no part of a frame`));
    }
  }

  /** False: more is needed. */
  #findEnd(header: Header, found: (DeviceFrame | FrameFault)[]): boolean {
    const bytes = this.#queue.view;
    const end = this.#scan?.find(bytes);
    if (end === undefined) return false;
    if (end.kind === 'broken') {
      found.push(fault(`a frame of type "${header.kind}" ${end.why}`));
      this.#isExcused = true;
    } else {
      found.push(this.#frame(header, bytes.subarray(0, end.at)));
    }
    this.#header = undefined;
    this.#scan = undefined;
    this.#queue.drop(end.next);
    return true;
  }

  #frame({ kind, taskId, sequence }: Header, payload: Buffer): DeviceFrame | FrameFault {
    if (kind === 'end') return { kind, taskId, sequence };
    if (!isUtf8(payload)) return fault(`a frame of type "${kind}" is not UTF-8`);
    const text = payload.toString('utf8');
    if (kind === 'text') {
      return text.includes('\0') ? fault('a frame of type "text" holds a NUL') : { kind, taskId, sequence, text };
    }
    let message: unknown;
    try {
      message = parseExactly(text);
    } catch {
      return fault('a frame of type "json" is not JSON');
    }
    const { depth } = this.#limits;
    if (isDeeperThan(message, depth)) return fault(`a message nests more than ${depth} levels deep`);
    return { kind, taskId, sequence, message };
  }
}

const fault = (problem: string): FrameFault => ({ kind: 'fault', problem });

const isWhite = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** How many of the last bytes may be the beginning of a frame. */
function beginningAtEnd(bytes: Buffer): number {
  for (let count = Math.min(start.length - 1, bytes.length); count > 0; count--) {
    if (start.subarray(0, count).equals(bytes.subarray(-count))) return count;
  }
  return 0;
}

/** What follows `##START`. Undefined where it is no header, and as soon as that is certain. */
function readHeader(bytes: Buffer): (Header & { readonly bytes: number }) | 'more' | undefined {
  if (bytes.length === 0) return 'more';
  const kind = kinds.get(bytes[0] ?? -1);
  if (kind === undefined) return undefined;
  const text = bytes.toString('latin1', 1);
  const match = head.exec(text);
  if (match === null) return headBeginning.test(text) ? 'more' : undefined;
  const [whole, taskId = '', bracketed, bare] = match;
  return { kind, taskId, sequence: Number(bracketed ?? bare), bytes: 1 + whole.length };
}
