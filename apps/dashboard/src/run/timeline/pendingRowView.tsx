import { type Run, isEnded } from '@baton/engine';

import { StatusMark } from '../../parts/statusMark.tsx';
import { isClosing } from '../runState.ts';
import { labelIndent } from './indent.ts';
import { StepName } from './stepName.tsx';
import type { PendingRow } from './timelineRow.ts';

interface PendingRowViewProps {
  readonly row: PendingRow;
  readonly run: Run;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
}

/** A step that has not begun. */
export function PendingRowView({ row, run, chosen, onStep }: PendingRowViewProps) {
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
