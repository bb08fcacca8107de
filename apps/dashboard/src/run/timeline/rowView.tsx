import type { Run } from '@baton/engine';
import { memo } from 'react';

import { textIndent } from './indent.ts';
import { ItemStrip } from './itemStrip.tsx';
import { PendingRowView } from './pendingRowView.tsx';
import { StepRowView } from './stepRowView.tsx';
import type { TimelineRow } from './timelineRow.ts';
import type { TimeScale } from './timeScale.ts';

interface RowViewProps {
  readonly row: TimelineRow;
  readonly scale: TimeScale;
  readonly nowMs: number;
  readonly run: Run;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
  readonly onToggle: (path: string, isOpen: boolean) => void;
}

/** Memoised, so that scrolling renders only rows that come into view. */
export const RowView = memo(function RowView({ row, ...rest }: RowViewProps) {
  switch (row.kind) {
    case 'heading':
      return (
        <div className="t-row heading" style={{ paddingLeft: textIndent(row.depth) }}>
          <span className="small dim">{row.label}</span>
        </div>
      );
    case 'pending':
      return <PendingRowView row={row} {...rest} />;
    case 'strip':
      return <ItemStrip row={row} />;
    case 'step':
      return <StepRowView row={row} {...rest} />;
  }
});
