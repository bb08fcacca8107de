import { useMemo } from 'react';

import { textIndent } from './indent.ts';
import type { StripRow } from './timelineRow.ts';
import { binned } from './worstStatus.ts';

const cellsMax = 120;

/** Many items as a strip of cells, with their number by status. */
export function ItemStrip({ row: { depth, cells, counts } }: { readonly row: StripRow }) {
  const shown = useMemo(() => binned(cells, cellsMax), [cells]);
  const words = Object.entries(counts).map(([status, n]) => `${n.toLocaleString('en')} ${status}`);
  return (
    <div className="t-row strip">
      <span className="t-label small dim num" style={{ paddingLeft: textIndent(depth) }}>
        {words.join(' · ')}
      </span>
      <span className="cells" role="img" aria-label={words.join(', ')}>
        {shown.map((status, at) => (
          <i key={at} className={`s-${status}`} />
        ))}
      </span>
      <span />
    </div>
  );
}
