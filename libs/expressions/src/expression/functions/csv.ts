/** CSV (RFC 4180), read and written by Papa Parse. Fields stay texts: `01234` is a postal code. */
import papaparse from 'papaparse';

import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { anyMap, list, text } from '../type.ts';
import { type Value, type ValueMap, isList, isMap } from '../value.ts';
import { asText, scalarText } from './scalarText.ts';

const separators = new Set([',', ';', '\t', '|', ':']);

function separatorOf({ e, node }: FunctionCall, value: Value | undefined): string {
  const separator = value === undefined ? ',' : asText(value);
  if (separators.has(separator)) return separator;
  return e.fail(node, () => `${describeValue(separator)} separates no fields; "," ";" "|" ":" and "\\t" do`);
}

/** The rows as lists of texts; without empty lines. Fails where quotes are not closed. */
function rowsOf(call: FunctionCall): readonly (readonly string[])[] {
  const { e, node, args } = call;
  const source = asText(args[0]);
  const delimiter = separatorOf(call, args[1]);
  e.charge(source.length / charactersPerUnit);
  const { data, errors } = papaparse.parse<string[]>(source.replace(/^\ufeff/, ''), {
    delimiter,
    header: false,
    skipEmptyLines: true,
    worker: false,
  });
  const [error] = errors;
  e.charge(data.reduce((sum, row) => sum + row.length + 1, 0));
  if (error === undefined) return data;
  return e.fail(
    node,
    () => `the text is no CSV in row ${(error.row ?? 0) + 1}: a quoted field is not closed, or goes on`,
  );
}

const charactersPerUnit = 10;

function fromCsv(call: FunctionCall): Value {
  const { e, node } = call;
  const [head, ...rows] = rowsOf(call);
  if (head === undefined) return e.list([]);
  const twice = head.find((name, i) => head.indexOf(name) !== i);
  if (twice !== undefined) return e.fail(node, () => `the first row names the column ${describeValue(twice)} twice`);
  const forbidden = head.find((name) => name === '__proto__');
  if (forbidden !== undefined) return e.fail(node, () => `a column cannot be called "${forbidden}"`);
  return e.list(
    rows.map((row, i) => {
      if (row.length > head.length) {
        return e.fail(node, () => `row ${i + 2} has ${row.length} fields, and the first row names ${head.length}`);
      }
      // A short row lacks its last fields.
      return e.map(Object.fromEntries(row.map((field, at) => [head[at] ?? '', field])));
    }),
  );
}

function fromCsvRows(call: FunctionCall): Value {
  return call.e.list(rowsOf(call).map((row) => call.e.list(row)));
}

function csv(call: FunctionCall): Value {
  const { e, args } = call;
  const rows = args[0] as readonly Value[];
  const delimiter = separatorOf(call, args[1]);
  const head = columnsOf(call, rows);
  const fields = rows.map((row) => {
    const cells = isList(row) ? row : head.map((name) => (row as ValueMap)[name] ?? null);
    return cells.map((cell) => cellText(call, cell));
  });
  const all = head.length === 0 ? fields : [head, ...fields];
  const size = all.reduce((sum, row) => row.reduce((one, cell) => one + cell.length + 3, sum), 0);
  e.roomForText(size * 2);
  e.charge(size / charactersPerUnit);
  // An empty line would be no row.
  const quotes = (cell: unknown): boolean => cell === '' && all.every((row) => row.length === 1);
  return papaparse.unparse(all as string[][], { delimiter, newline: '\n', header: false, quotes });
}

/** The names of the columns: all keys, in the order in which they come first. Empty for rows that are lists. */
function columnsOf({ e, node }: FunctionCall, rows: readonly Value[]): readonly string[] {
  const areLists = rows.every(isList);
  if (areLists) return [];
  const names = new Set<string>();
  for (const row of rows) {
    if (!isMap(row))
      return e.fail(node, () => `csv takes rows that are all maps or all lists, and here is ${describeValue(row)}`);
    for (const key of e.keysOf(row)) names.add(key);
  }
  return [...names];
}

/** Nothing is an empty field. */
function cellText({ e, node }: FunctionCall, cell: Value): string {
  e.charge(1);
  if (cell === null) return '';
  return scalarText(cell) ?? e.fail(node, () => `${describeValue(cell)} is no field; \`json(…)\` makes a text of it`);
}

const separator = { name: 'separator', kinds: ['text'], isOptional: true } as const;

export const csvFunctions: readonly FunctionSpec[] = [
  {
    name: 'csv',
    parameters: [{ name: 'list', kinds: ['list'] }, separator],
    returns: text,
    about:
      'Writes rows that are maps (the first line has the keys) or lists. Fields are quoted where needed; null is an empty field.',
    run: csv,
  },
  {
    name: 'fromCsv',
    parameters: [{ name: 'text', kinds: ['text'] }, separator],
    returns: list(anyMap),
    about: 'Reads CSV into maps, whose keys are the first row. Fields stay texts.',
    run: fromCsv,
  },
  {
    name: 'fromCsvRows',
    parameters: [{ name: 'text', kinds: ['text'] }, separator],
    returns: list(list(text)),
    about: 'Reads CSV into lists of texts.',
    run: fromCsvRows,
  },
];
