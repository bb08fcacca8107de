/**
 * Frames of the device protocol (seed 000), for writing:
 *
 *   `##START` type task sequence payload `##END`
 *
 * type      one byte: \x06 a JSON message, \x04 text of a task, \x03 the end of a task
 * task      8 visible ASCII characters; `mcp00001` for every JSON message
 * sequence  4 digits. The seed writes them in brackets before JSON and bare before text; Baton reads both everywhere
 *
 * A payload that Baton writes never contains a marker, so a reader may simply search for `##END`: JSON escapes the
 * marker, and a text is split within it into two frames of the same task.
 */
import type { JsonObject } from '@baton/primitives';

export type DeviceFrame =
  /** `message` is any JSON, at most `depth` levels deep. */
  | { readonly kind: 'json'; readonly taskId: string; readonly sequence: number; readonly message: unknown }
  | { readonly kind: 'text'; readonly taskId: string; readonly sequence: number; readonly text: string }
  | { readonly kind: 'end'; readonly taskId: string; readonly sequence: number };

export type FrameKind = DeviceFrame['kind'];

export const startMark = '##START';
export const endMark = '##END';
export const typeBytes: Readonly<Record<FrameKind, number>> = { json: 0x06, text: 0x04, end: 0x03 };
export const taskCharacters = 8;
export const sequenceDigits = 4;

const messageTask = 'mcp00001';
const sequences = 10 ** sequenceDigits;
/** Devices are small; a long text goes in pieces. */
const pieceCharacters = 16 * 1024;

export function encodeMessage(message: JsonObject): string {
  const json = JSON.stringify(message).replaceAll(endMark, String.raw`#\u0023END`);
  return frame('json', messageTask, '[0000]', json);
}

/** The frames of one text: pieces that are numbered from 0, and the end of the task. */
export function encodeText(taskId: string, text: string): string {
  const pieces = text.split(/(?<=##)(?=END|START)/).flatMap(inPieces);
  const frames = pieces.map((piece, at) => frame('text', taskId, numbered(at), piece));
  return `${frames.join('')}${frame('end', taskId, numbered(pieces.length), '')}`;
}

function frame(kind: FrameKind, taskId: string, sequence: string, payload: string): string {
  return `${startMark}${String.fromCharCode(typeBytes[kind])}${taskId}${sequence}${payload}${endMark}`;
}

/** After 9999 comes 0000. */
const numbered = (at: number): string => String(at % sequences).padStart(sequenceDigits, '0');

/** By characters of Unicode: no piece ends inside one. */
function inPieces(text: string): string[] {
  if (text.length <= pieceCharacters) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + pieceCharacters, text.length);
    if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1)) && to < text.length) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
