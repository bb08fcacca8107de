import { durationText } from '@baton/primitives';
import { ChevronDown, ChevronRight } from 'lucide-react';

import { StatusMark } from '../../parts/statusMark.tsx';
import { AttemptBar } from './attemptBar.tsx';
import { labelIndent } from './indent.ts';
import { StepName } from './stepName.tsx';
import type { StepRow } from './timelineRow.ts';
import type { TimeScale } from './timeScale.ts';

interface StepRowViewProps {
  readonly row: StepRow;
  readonly scale: TimeScale;
  readonly nowMs: number;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
  readonly onToggle: (path: string, isOpen: boolean) => void;
}

/** A step that has begun: its name, its attempts, and how long it took. */
export function StepRowView({ row, scale, nowMs, chosen, onStep, onToggle }: StepRowViewProps) {
  const { step, depth, items } = row;
  const { path, status, target } = step;
  const began = step.attempts[0]?.startedAt;
  const over = step.attempts.at(-1)?.endedAt;
  return (
    <div className={`t-row${chosen === path ? ' chosen' : ''}`} onClick={() => onStep(path)}>
      <span className={`t-label${status === 'running' ? ' live' : ''}`} style={{ paddingLeft: labelIndent(depth) }}>
        {items > 0 ? <ItemsToggle row={row} onToggle={onToggle} /> : <span className="t-toggle" />}
        <StatusMark status={status} />
        <StepName
          path={path}
          label={row.label}
          status={step.isKept === true ? `${status}, kept` : status}
          onStep={onStep}
        />
        {target !== undefined && (
          <span className="t-target faint small" title={target}>
            <span className="cut">{target}</span>
          </span>
        )}
      </span>
      <AttemptBar step={step} scale={scale} nowMs={nowMs} />
      <span className="t-took num small">{began === undefined ? '' : durationText((over ?? nowMs) - began)}</span>
    </div>
  );
}

function ItemsToggle({ row, onToggle }: Pick<StepRowViewProps, 'row' | 'onToggle'>) {
  const { key: path, label, items, isOpen } = row;
  return (
    <button
      type="button"
      className="t-toggle"
      aria-label={isOpen ? `Fold ${label}` : `Open the ${items.toLocaleString('en')} items of ${label}`}
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(path, isOpen);
      }}
    >
      {isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
    </button>
  );
}
