import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

import type { SortedTable } from './sortedBy.ts';

/** The text of a column's head; or that, and the classes of its cell. */
type ColumnHead = string | readonly [text: string, classes: string];

interface TableProps {
  readonly heads: readonly ColumnHead[];
  /** Whether a last column has buttons: its head is only read aloud. */
  readonly hasActions?: boolean;
  readonly look?: string;
  /** Columns by the text of their heads that can be sorted, and how they are. */
  readonly sort?: Pick<SortedTable<unknown>, 'sorting' | 'onSort'> & { readonly columns: readonly string[] };
  /** Rows. */
  readonly children: ReactNode;
}

/** Scrolls sideways where it is too wide. */
export function Table({ heads, hasActions = false, look = '', sort, children }: TableProps) {
  return (
    <div className="table-wrap">
      <table className={`table ${hasActions ? 'with-actions' : ''} ${look}`}>
        <thead>
          <tr>
            {heads.map((head) => {
              const [text, classes] = typeof head === 'string' ? [head] : head;
              return sort?.columns.includes(text) === true ? (
                <SortHead key={text} text={text} classes={classes} sorting={sort.sorting} onSort={sort.onSort} />
              ) : (
                <th key={text} className={classes}>
                  {text}
                </th>
              );
            })}
            {hasActions && (
              <th>
                <span className="sr">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface SortHeadProps extends Pick<SortedTable<unknown>, 'sorting' | 'onSort'> {
  readonly text: string;
  readonly classes: string | undefined;
}

function SortHead({ text, classes, sorting, onSort }: SortHeadProps) {
  const own = sorting?.column === text ? sorting : undefined;
  const Arrow = own?.isDescending === true ? ArrowDown : ArrowUp;
  const direction = own?.isDescending === true ? 'descending' : 'ascending';
  return (
    <th className={classes} aria-sort={own === undefined ? 'none' : direction}>
      <button type="button" className="sort-head" title={`Sort by ${text}`} onClick={() => onSort(text)}>
        {text}
        {own !== undefined && <Arrow size={12} />}
      </button>
    </th>
  );
}
