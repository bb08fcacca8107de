/** A text and its positions: converts offsets to lines and columns, and shows the lines around a place. */
import { printable } from './excerpt.ts';

/** A range of a text: UTF-16 offsets, the end excluded. */
export type Span = readonly [start: number, end: number];

/** 1-based; columns count code points. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const contextLines = 1;
/** Of a longer line, a window around the place is shown. */
const frameColumns = 120;

export class Source {
  readonly text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  position(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.text.length));
    const line = this.#lineAt(at);
    return { line: line + 1, column: countCodePoints(this.text, this.#start(line), at) + 1 };
  }

  /** The line of the place and its neighbours, numbered, with carets under the place. */
  frame([start, end]: Span): string {
    const first = this.#lineAt(Math.min(start, this.text.length));
    const last = Math.min(first + contextLines, this.#starts.length - 1);
    const width = String(last + 1).length;
    const lineStart = this.#start(first);
    const line = this.#line(first);
    const from = line.length <= frameColumns ? 0 : Math.max(0, start - lineStart - frameColumns / 2);
    const before = countCells(this.text, lineStart + from, start);
    const under = countCells(this.text, start, Math.min(end, lineStart + line.length));
    const carets = Math.max(1, Math.min(under, frameColumns - before));
    const rows: string[] = [];
    for (let number = Math.max(0, first - contextLines); number <= last; number++) {
      const shown = windowOf(this.#line(number), from);
      if (number === first || shown.trim() !== '')
        rows.push(`${String(number + 1).padStart(width)} | ${shown}`.trimEnd());
      if (number === first) rows.push(`${' '.repeat(width)} | ${' '.repeat(before)}${'^'.repeat(carets)}`);
    }
    return rows.join('\n');
  }

  #start(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  #line(line: number): string {
    const end = line + 1 < this.#starts.length ? this.#start(line + 1) - 1 : this.text.length;
    return this.text.slice(this.#start(line), end).replace(/\r$/, '');
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#start(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The visible part of a line, from a UTF-16 offset on. */
const windowOf = (line: string, from: number): string =>
  Array.from(printable(line.slice(from, from + 2 * frameColumns)))
    .slice(0, frameColumns)
    .join('');

function countCodePoints(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const isSecondHalf = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (!isSecondHalf || i === from) count++;
  }
  return count;
}

/** East Asian wide and full-width characters, and emoji: a terminal gives each two cells. UAX 11. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/gu;

/** The cells of a text on a terminal. */
export const cellsIn = (text: string): number => countCells(text, 0, text.length);

const countCells = (text: string, from: number, to: number): number =>
  countCodePoints(text, from, to) + (text.slice(from, to).match(wide)?.length ?? 0);
