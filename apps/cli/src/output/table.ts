/** Prints rows: aligned for a person; tab-separated and complete for a program. */
import type { Output, Paint } from './output.ts';
import { oneLine, padEnd, truncate, widthOf, wrap } from './text.ts';
import { instantTextFor } from './time.ts';

/** For whom a value is written. */
interface Reader {
  readonly isPerson: boolean;
  /** An instant of the API: relative to now for a person, as it is for a program. */
  readonly instantText: (instant: string) => string;
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row, reader: Reader) => string;
  /** Left out for people: too long for a terminal. */
  readonly isForPrograms?: true;
  readonly colour?: (paint: Paint, row: Row) => (text: string) => string;
  /** The first column to shorten if rows are too long. */
  readonly canShrink?: true;
  /** Longer texts are shortened to this many cells for people. */
  readonly most?: number;
  /** Of the last column: what does not fit goes on in further lines, and is not cut. */
  readonly wraps?: true;
  /** Left out for people if rows are too long, the last such column first. */
  readonly dispensable?: true;
}

const gap = '  ';

/** Prints a header only for people, as the GitHub CLI does. */
export function printTable<Row>(output: Output, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const reader: Reader = { isPerson: output.isTerminal, instantText: instantTextFor(output) };
  const cellsOf = (some: readonly Column<Row>[]): string[][] =>
    rows.map((row) => some.map(({ value }) => oneLine(value(row, reader))));
  if (!output.isTerminal) {
    for (const row of cellsOf(columns)) output.line(row.join('\t'));
    return;
  }
  const width = output.columns() ?? Number.POSITIVE_INFINITY;
  const kept = columns.filter(({ isForPrograms }) => isForPrograms !== true);
  while (totalOf(widthsOf(kept, cellsOf(kept))) > width) {
    const last = kept.findLastIndex(({ dispensable }) => dispensable === true);
    if (last === -1) break;
    kept.splice(last, 1);
  }
  printFitted(output, kept, rows, cellsOf(kept), width);
}

function printFitted<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  cells: readonly string[][],
  width: number,
): void {
  const { paint } = output;
  const widths = fit(columns, cells, width);
  const shown = (texts: readonly string[]): string[] =>
    texts.map((text, i) => padEnd(truncate(text, widths[i] ?? 0), i === texts.length - 1 ? 0 : (widths[i] ?? 0)));
  output.line(paint.dim(shown(titlesOf(columns, widths)).join(gap)));
  for (const [n, row] of rows.entries()) {
    const { head, rest } = broken(columns, cells[n] ?? [], widths, width);
    const coloured = shown(head).map((text, i) => columns[i]?.colour?.(paint, row)(text) ?? text);
    for (const line of [coloured.join(gap), ...rest]) output.line(line);
  }
}

/** A last column that wraps into the lines below has no title if there is no room for it beside the others. */
const titlesOf = <Row>(columns: readonly Column<Row>[], widths: readonly number[]): string[] =>
  columns.map(({ title, wraps }, i) => (wraps === true && widthOf(title) > (widths[i] ?? 0) ? '' : title));

/** With less room beside the other columns, a text that wraps is under them. */
const roomMin = 24;

/** A row, and the lines in which its last cell goes on. */
function broken<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[],
  widths: readonly number[],
  width: number,
): { readonly head: readonly string[]; readonly rest: readonly string[] } {
  const [last = '', room = 0] = [cells.at(-1), widths.at(-1)];
  if (columns.at(-1)?.wraps !== true || widthOf(last) <= room) return { head: cells, rest: [] };
  const others = cells.slice(0, -1);
  const below = (lines: readonly string[], indent: number): string[] => lines.map((one) => ' '.repeat(indent) + one);
  if (room < roomMin) return { head: [...others, ''], rest: below(wrap(last, width - 4), 4) };
  const [first = '', ...more] = wrap(last, room);
  return { head: [...others, first], rest: below(more, width - room) };
}

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1));

const widthsOf = <Row>(columns: readonly Column<Row>[], cells: readonly string[][]): number[] =>
  columns.map(({ title, most = Number.POSITIVE_INFINITY }, i) =>
    // Not `Math.max(...widths)`: a call takes no more than about 100 000 arguments.
    cells.reduce(
      (widest, row) => Math.min(most, Math.max(widest, widthOf(row[i] ?? ''))),
      Math.min(most, widthOf(title)),
    ),
  );

function fit<Row>(columns: readonly Column<Row>[], cells: readonly string[][], width: number): number[] {
  const widths = widthsOf(columns, cells);
  const over = totalOf(widths) - width;
  const giving = columns.findIndex(({ canShrink }) => canShrink === true);
  const given = widths[giving];
  if (over > 0 && given !== undefined) widths[giving] = Math.max(8, given - over);
  return widths;
}
