import type { ReactNode } from 'react';

/** The text of a column's head; or that, and the classes of its cell. */
type ColumnHead = string | readonly [text: string, classes: string];

interface TableProps {
  readonly heads: readonly ColumnHead[];
  /** Whether a last column has buttons: its head is only read aloud. */
  readonly hasActions?: boolean;
  readonly look?: string;
  /** Rows. */
  readonly children: ReactNode;
}

/** Scrolls sideways where it is too wide. */
export function Table({ heads, hasActions = false, look = '', children }: TableProps) {
  return (
    <div className="table-wrap">
      <table className={`table ${hasActions ? 'with-actions' : ''} ${look}`}>
        <thead>
          <tr>
            {heads.map((head) => {
              const [text, classes] = typeof head === 'string' ? [head] : head;
              return (
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
