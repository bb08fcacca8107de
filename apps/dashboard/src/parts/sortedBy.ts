/** Sorts rows by a column that a person chose; rows without a value come last. */
import { useState } from 'react';

type Key = string | number | undefined;

interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface SortedTable<Row> {
  readonly rows: readonly Row[];
  readonly sorting: Sorting | undefined;
  readonly onSort: (column: string) => void;
}

export function useSorted<Row>(
  rows: readonly Row[],
  keys: Readonly<Record<string, (row: Row) => Key>>,
): SortedTable<Row> {
  const [sorting, setSorting] = useState<Sorting>();
  const key = sorting === undefined ? undefined : keys[sorting.column];
  return {
    rows: key === undefined || sorting === undefined ? rows : sortedBy(rows, key, sorting.isDescending),
    sorting,
    // A third press gives the order of the server again.
    onSort: (column) =>
      setSorting((before) => {
        if (before?.column !== column) return { column, isDescending: true };
        return before.isDescending ? { column, isDescending: false } : undefined;
      }),
  };
}

export function sortedBy<Row>(rows: readonly Row[], key: (row: Row) => Key, isDescending: boolean): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    if (typeof a === 'string' && typeof b === 'string') return sign * a.localeCompare(b);
    return sign * (Number(a) - Number(b));
  });
}
