import type { Context } from '../context.ts';
import { jsonText } from './json.ts';
import { type Column, printTable } from './table.ts';

export interface ListForm<Row> {
  readonly columns: readonly Column<Row>[];
  readonly asJson: boolean;
  /** The message on stderr if the list is empty. */
  readonly none: string;
}

/** Prints rows as a table, or as a JSON array. */
export function printList<Row extends object>(context: Context, rows: readonly Row[], form: ListForm<Row>): void {
  printListOf(context, rows, rows, form);
}

/** Prints rows as a table, or `whole`, which has more than the rows, as JSON. */
export function printListOf<Row extends object>(
  { stdout, stderr }: Context,
  whole: object,
  rows: readonly Row[],
  { columns, asJson, none }: ListForm<Row>,
): void {
  if (asJson) return stdout.line(jsonText(whole));
  if (rows.length === 0) return stderr.line(none);
  printTable(stdout, columns, rows);
}
