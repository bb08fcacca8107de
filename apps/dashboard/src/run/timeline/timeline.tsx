/** Shows steps over time, in a virtual list of flat rows. */
import { isEnded } from '@baton/engine';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useMemo, useRef, useState } from 'react';

import { useNow } from '../../parts/time.ts';
import type { RunMoment } from '../fold.ts';
import { startOf } from '../runState.ts';
import { useRunOutline } from '../useRunOutline.ts';
import { rowsOf } from './rowsOf.ts';
import { RowView } from './rowView.tsx';
import { scaleOf, type TimeScale } from './timeScale.ts';

/** Ticks that fit on a narrow axis. */
const fewTicks = 3;
/** On the narrowest axis, a label further right would overlap the next column. */
const middle = 0.6;

/** The first line of the timeline: the times of its columns. It stays in view, and is as wide as the rows. */
function TimeAxis({ scale }: { readonly scale: TimeScale }) {
  return (
    <div className="timeline-axis small faint num" aria-hidden="true">
      <span className="axis-label">Step</span>
      <div className={`axis-track${scale.ticks.length > fewTicks ? ' dense' : ''}`}>
        {scale.ticks.map(({ share, label }) => (
          <span key={share} className={share > middle ? 'late' : ''} style={{ left: `${share * 100}%` }}>
            {label}
          </span>
        ))}
      </div>
      <span className="axis-took">Took</span>
    </div>
  );
}

interface TimelineProps {
  readonly moment: RunMoment;
  readonly isLive: boolean;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
}

const rowHeight = 30;
const overscan = 12;

export function Timeline({ moment, isLive, chosen, onStep }: TimelineProps) {
  const tick = useNow();
  const { run } = moment;
  const nowMs = isEnded(run) || !isLive ? run.at : Math.max(tick, run.at);
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { titles, holders, planned } = useRunOutline(run);
  // The trace changes in place, but the moment is then a new object.
  const rows = useMemo(
    () => rowsOf(moment.trace.steps, { opened, titles, holders, planned }),
    [moment, opened, titles, holders, planned],
  );
  const scale = useMemo(() => scaleOf(moment.trace.steps, startOf(moment.run), nowMs), [moment, nowMs]);
  const place = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  const onToggle = useCallback(
    (path: string, isOpen: boolean): void => setOpened((before) => new Map([...before, [path, !isOpen]])),
    [],
  );
  return (
    <div className="timeline">
      <div
        ref={place}
        className="timeline-scroll"
        role="list"
        aria-label="Steps"
        tabIndex={0}
        style={{ '--rows': `${(Math.max(rows.length, 2) + 1) * rowHeight + 6}px` } as React.CSSProperties}
      >
        <TimeAxis scale={scale} />
        <div style={{ height: list.getTotalSize(), position: 'relative' }}>
          {list.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div key={key} role="listitem" className="timeline-row" style={{ transform: `translateY(${start}px)` }}>
                <RowView
                  row={row}
                  scale={scale}
                  nowMs={nowMs}
                  run={run}
                  chosen={chosen}
                  onStep={onStep}
                  onToggle={onToggle}
                />
              </div>
            );
          })}
        </div>
        {rows.length === 0 && <p className="faint timeline-none">No step has begun yet.</p>}
      </div>
    </div>
  );
}
