import { type Run, isEnded } from '@baton/engine';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, useMemo } from 'react';

import { StatusMark } from '../../parts/statusMark.tsx';
import { isClosing } from '../runState.ts';
import { textIndent, labelIndent } from './indent.ts';
import { StepName } from './stepName.tsx';
import { StepRowView } from './stepRowView.tsx';
import type { TimelineRow, ReasonRow, StripRow, PendingRow } from './timelineRow.ts';
import type { TimeScale } from './timeScale.ts';
import { binned } from './worstStatus.ts';

interface PendingRowViewProps {
  readonly row: PendingRow;
  readonly run: Run;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
}

/** A step that has not begun. */
function PendingRowView({ row, run, chosen, onStep }: PendingRowViewProps) {
  const { key: path, depth, label } = row;
  const isOver = path.startsWith('@finally/') ? isEnded(run) : isClosing(run);
  const word = row.isTooLate || isOver ? 'not begun' : 'to come';
  return (
    <div className={`t-row pending${chosen === path ? ' chosen' : ''}`} onClick={() => onStep(path)}>
      <span className="t-label" style={{ paddingLeft: labelIndent(depth) }}>
        <span className="t-toggle" />
        <StatusMark status="pending" />
        <StepName path={path} label={label} status={word} onStep={onStep} />
      </span>
      <span className="faint small">{word}</span>
    </div>
  );
}

const cellsMax = 120;

/** Many items as a strip of cells, with their number by status. */
function ItemStrip({ row: { depth, cells, counts } }: { readonly row: StripRow }) {
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

/** Why several items failed, and how many. */
function ReasonRowView({
  row: { key, depth, label, isOpen },
  onToggle,
}: Pick<RowViewProps, 'onToggle'> & { readonly row: ReasonRow }) {
  return (
    <div className="t-row heading" style={{ paddingLeft: labelIndent(depth) }}>
      <button
        type="button"
        className="t-reason small"
        title={label}
        aria-expanded={isOpen}
        onClick={() => onToggle(key, isOpen)}
      >
        {isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
        <span className="cut">{label}</span>
      </button>
    </div>
  );
}

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
    case 'reason':
      return <ReasonRowView row={row} onToggle={rest.onToggle} />;
    case 'pending':
      return <PendingRowView row={row} {...rest} />;
    case 'strip':
      return <ItemStrip row={row} />;
    case 'step':
      return <StepRowView row={row} {...rest} />;
  }
});
