/**
 * Shows steps over time, in a virtual list of flat rows. Attempts are segments, waiting is hatched, many items are a
 * strip of cells until a person opens them.
 */
import type { Run, TracedStep } from '@baton/engine';
import { isEnded, waitSentence } from '@baton/engine';
import { durationText } from '@baton/primitives';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, useCallback, useMemo, useRef, useState } from 'react';

import { StatusMark } from '../parts/statusMark.tsx';
import { useNow } from '../parts/time.ts';
import type { RunMoment } from './fold.ts';
import type { PendingRow, StepRow, StripRow, TimelineRow } from './rows.ts';
import { binned, rowsOf } from './rows.ts';
import { isClosing, startOf } from './runState.ts';
import type { TimeScale } from './timeScale.ts';
import { scaleOf } from './timeScale.ts';
import { useRunOutline } from './useRunOutline.ts';

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
      <Axis scale={scale} />
      <div ref={place} className="timeline-scroll" role="list" aria-label="Steps" tabIndex={0}>
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

/** Ticks that fit on a narrow axis. */
const fewTicks = 3;
/** On the narrowest axis, a label further right would overlap the next column. */
const middle = 0.6;

function Axis({ scale }: { readonly scale: TimeScale }) {
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

interface RowViewProps {
  readonly row: TimelineRow;
  readonly scale: TimeScale;
  readonly nowMs: number;
  readonly run: Run;
  readonly chosen: string | undefined;
  readonly onStep: (path: string) => void;
  readonly onToggle: (path: string, isOpen: boolean) => void;
}

const indent = 16;

/** Memoised, so that scrolling renders only rows that come into view. */
const RowView = memo(function RowView({ row, ...rest }: RowViewProps) {
  if (row.kind === 'heading') {
    return (
      <div className="t-row heading" style={{ paddingLeft: 24 + row.depth * indent }}>
        <span className="small dim">{row.label}</span>
      </div>
    );
  }
  if (row.kind === 'pending') return <PendingView row={row} {...rest} />;
  return row.kind === 'strip' ? <Strip row={row} /> : <StepView row={row} {...rest} />;
});

const cellsMax = 120;

function Strip({ row: { depth, cells, counts } }: { readonly row: StripRow }) {
  const shown = useMemo(() => binned(cells, cellsMax), [cells]);
  const words = Object.entries(counts).map(([status, n]) => `${n.toLocaleString('en')} ${status}`);
  return (
    <div className="t-row strip">
      <span className="t-label small dim num" style={{ paddingLeft: 24 + depth * indent }}>
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

type PendingViewProps = Pick<RowViewProps, 'run' | 'chosen' | 'onStep'> & { readonly row: PendingRow };

function PendingView({ row, run, chosen, onStep }: PendingViewProps) {
  const { key: path, depth, label } = row;
  const isOver = path.startsWith('@finally/') ? isEnded(run) : isClosing(run);
  const word = row.isTooLate || isOver ? 'not begun' : 'to come';
  return (
    <div className={`t-row pending${chosen === path ? ' chosen' : ''}`} onClick={() => onStep(path)}>
      <span className="t-label" style={{ paddingLeft: 8 + depth * indent }}>
        <span className="t-toggle" />
        <StatusMark status="pending" />
        <NameButton path={path} label={label} status={word} onStep={onStep} />
      </span>
      <span className="faint small">{word}</span>
    </div>
  );
}

interface NameButtonProps extends Pick<RowViewProps, 'onStep'> {
  readonly path: string;
  readonly label: string;
  readonly status: string;
}

function NameButton({ path, label, status, onStep }: NameButtonProps) {
  return (
    <button
      type="button"
      className="t-name cut"
      title={path}
      onClick={(event) => {
        event.stopPropagation();
        onStep(path);
      }}
    >
      {label}
      <span className="sr">, {status}</span>
    </button>
  );
}

function StepView({
  row,
  scale,
  nowMs,
  chosen,
  onStep,
  onToggle,
}: Omit<RowViewProps, 'row'> & { readonly row: StepRow }) {
  const { step, depth, label, items, isOpen } = row;
  const { path, status, target } = step;
  const began = step.attempts[0]?.startedAt;
  const over = step.attempts.at(-1)?.endedAt;
  return (
    <div className={`t-row${chosen === path ? ' chosen' : ''}`} onClick={() => onStep(path)}>
      <span className={`t-label${status === 'running' ? ' live' : ''}`} style={{ paddingLeft: 8 + depth * indent }}>
        {items > 0 ? (
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
        ) : (
          <span className="t-toggle" />
        )}
        <StatusMark status={status} />
        <NameButton path={path} label={label} status={status} onStep={onStep} />
        {target !== undefined && <span className="t-target cut faint small">{target}</span>}
      </span>
      <Segments step={step} scale={scale} nowMs={nowMs} />
      <span className="t-took num small">{began === undefined ? '' : durationText((over ?? nowMs) - began)}</span>
    </div>
  );
}

function Segments({
  step,
  scale,
  nowMs,
}: {
  readonly step: TracedStep;
  readonly scale: TimeScale;
  readonly nowMs: number;
}) {
  const { attempts, decidedAt, status, isUndone } = step;
  return (
    <span className="t-track">
      {decidedAt !== undefined && (
        <i
          className={`seg point s-${status}`}
          style={{ left: `min(${scale.share(decidedAt) * 100}%, 100% - 3px)` }}
          title={`${status}, without a call`}
        />
      )}
      {attempts.map(({ n, status: how, startedAt, endedAt, failure }, at) => {
        const from = scale.share(startedAt);
        const to = scale.share(endedAt ?? nowMs);
        const next =
          attempts[at + 1]?.startedAt ?? (status === 'retrying' && endedAt !== undefined ? nowMs : undefined);
        const state = how === 'waiting' && endedAt !== undefined ? status : how;
        return (
          <span key={`${n} ${startedAt}`}>
            <i
              className={`seg s-${state}${how === 'waiting' || step.awaiting !== undefined ? ' hatched' : ''}`}
              style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `max(3px, ${(to - from) * 100}%)` }}
              title={segmentTitle(step, n, (endedAt ?? nowMs) - startedAt, failure?.message, nowMs)}
            />
            {next !== undefined && (
              <i className="seg gap" style={{ left: `${to * 100}%`, width: `${(scale.share(next) - to) * 100}%` }} />
            )}
          </span>
        );
      })}
      {isUndone === true && <span className="t-undone chip">undone</span>}
    </span>
  );
}

function segmentTitle(step: TracedStep, n: number, tookMs: number, failure: string | undefined, nowMs: number): string {
  if (step.status === 'waiting' || step.status === 'retrying') return waitSentence(step, nowMs);
  return `Attempt ${n}: ${durationText(tookMs)}${failure === undefined ? '' : `\n${failure.slice(0, 300)}`}`;
}
