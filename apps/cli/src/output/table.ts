/** Prints rows: aligned for a person; tab-separated and complete for a program. */
import type { Output, Paint } from './output.ts';
import { oneLine, padEnd, truncate, widthOf } from './text.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly colour?: (paint: Paint, row: Row) => (text: string) => string;
  /** The first column to shorten if rows are too long. */
  readonly gives?: true;
}

const gap = '  ';

/** Prints a header only for people, as the GitHub CLI does. */
export function printTable<Row>(output: Output, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const cells = rows.map((row) => columns.map(({ value }) => oneLine(value(row))));
  if (!output.isTerminal) {
    for (const row of cells) output.line(row.join('\t'));
    return;
  }
  const { paint } = output;
  const widths = fit(columns, cells, output.columns() ?? Number.POSITIVE_INFINITY);
  const shown = (texts: readonly string[]): string[] =>
    texts.map((text, i) => padEnd(truncate(text, widths[i] ?? 0), i === texts.length - 1 ? 0 : (widths[i] ?? 0)));
  output.line(paint.dim(shown(columns.map(({ title }) => title)).join(gap)));
  for (const [n, row] of rows.entries()) {
    const coloured = shown(cells[n] ?? []).map((text, i) => columns[i]?.colour?.(paint, row)(text) ?? text);
    output.line(coloured.join(gap));
  }
}

function fit<Row>(columns: readonly Column<Row>[], cells: readonly string[][], width: number): number[] {
  const widths = columns.map(({ title }, i) => Math.max(widthOf(title), ...cells.map((row) => widthOf(row[i] ?? ''))));
  const over = widths.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) - width;
  const giving = columns.findIndex(({ gives }) => gives === true);
  const given = widths[giving];
  if (over > 0 && given !== undefined) widths[giving] = Math.max(8, given - over);
  return widths;
}
