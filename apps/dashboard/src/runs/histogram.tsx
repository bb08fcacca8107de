/** Runs by time and status. Drag over it to choose a time. */
import { type Histogram, runStatuses } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { client } from '../api/client.ts';
import type { RunQuery } from '../api/queries.ts';
import { usePreferences } from '../parts/preferences.ts';
import { StatusMark } from '../parts/statusMark.tsx';
import { instantText } from '../parts/time.ts';
import { barsOf, beginOf, runsIn } from './histogramBars.ts';

type Bucket = Histogram['data'][number];

type Time = { readonly from: number; readonly to: number };

function useBuckets(query: RunQuery, time: Time | undefined) {
  return useQuery({
    queryKey: ['histogram', query, time],
    queryFn: ({ signal }) => {
      const { from, to } = time ?? { from: 0, to: 1 };
      // The histogram counts all statuses, and has no pages.
      const { status: _status, limit: _limit, cursor: _cursor, ...rest } = query;
      const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      return client.runs.histogram({ ...rest, ...span, buckets: String(barsOf({ from, to })) }, { signal });
    },
    enabled: time !== undefined,
    // Counts of an earlier span are not those of all time, which has no histogram.
    placeholderData: (before) => (time === undefined ? undefined : before),
    staleTime: 10_000,
  });
}

/** The time from the first run on; undefined where that is most of the time, or not known yet. */
function useShorter(query: RunQuery, time: Time | undefined, isWanted: boolean) {
  const { data, isPlaceholderData } = useBuckets(query, time);
  const begin = data === undefined || isPlaceholderData || !isWanted ? undefined : beginOf(data);
  const isShorter = begin !== undefined && time !== undefined && begin > time.from;
  return { data, shorter: isShorter ? { from: begin, to: time.to } : undefined };
}

/** `isChosen`: a person chose exactly this time. Else the picture begins with the first run. */
export function useHistogram(query: RunQuery, time: Time | undefined, isChosen: boolean): Histogram | undefined {
  const { data: whole, shorter: part } = useShorter(query, time, !isChosen);
  // A bar of a week has three hours, and all runs of a first day may be in its last minutes.
  const { data: later, shorter: end } = useShorter(query, part, !isChosen);
  const { data: last } = useBuckets(query, end);
  return (end && last) ?? (part && later) ?? whole;
}

interface HistogramProps {
  readonly histogram: Histogram;
  readonly onChoose: (time: Time) => void;
}

const height = 44;

export function HistogramView({ histogram, onChoose }: HistogramProps) {
  const time = { from: Date.parse(histogram.from), to: Date.parse(histogram.to) };
  const place = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number }>();
  const { zone } = usePreferences();
  const { data } = histogram;
  const most = Math.max(1, ...data.map(({ counts }) => runsIn(counts)));
  const shareAt = (event: React.PointerEvent): number => {
    const { left = 0, width = 1 } = place.current?.getBoundingClientRect() ?? {};
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const minuteText = (ms: number): string => instantText(ms, zone).slice(0, 'yyyy-mm-dd hh:mm'.length);
  const end = (): void => {
    setDrag(undefined);
    if (drag === undefined || Math.abs(drag.end - drag.start) < 0.01) return;
    const at = (share: number): number => Math.round(time.from + share * (time.to - time.from));
    onChoose({ from: at(Math.min(drag.start, drag.end)), to: at(Math.max(drag.start, drag.end)) });
  };
  return (
    <div className="histogram">
      <div
        ref={place}
        className="bars"
        role="img"
        aria-label={`Runs by time, at most ${most} at once; drag to choose a time`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ start: shareAt(event), end: shareAt(event) });
        }}
        onPointerMove={(event) => drag !== undefined && setDrag({ ...drag, end: shareAt(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
      >
        {data.map((bucket) => (
          <Bar key={bucket.at} bucket={bucket} most={most} title={instantText(Date.parse(bucket.at), zone)} />
        ))}
        {drag !== undefined && (
          <div
            className="brush"
            style={{
              left: `${Math.min(drag.start, drag.end) * 100}%`,
              width: `${Math.abs(drag.end - drag.start) * 100}%`,
            }}
          />
        )}
      </div>
      <div className="row faint small num axis">
        <span>{minuteText(time.from)}</span>
        <span>{minuteText(time.to)}</span>
      </div>
    </div>
  );
}

const order = ['succeeded', 'cancelled', 'queued', 'waiting', 'running', 'failed'] as const;

function Bar({ bucket, most, title }: { readonly bucket: Bucket; readonly most: number; readonly title: string }) {
  const { counts } = bucket;
  const words = order.filter((status) => (counts[status] ?? 0) > 0).map((status) => `${counts[status]} ${status}`);
  return (
    <div className="bar" title={words.length === 0 ? title : `${title}\n${words.join(', ')}`}>
      {order.map((status) => {
        const count = counts[status] ?? 0;
        if (count === 0) return null;
        const part = Math.max(2, Math.round((count / most) * height));
        return <i key={status} className={`s-${status}`} style={{ height: part }} />;
      })}
    </div>
  );
}

interface CountsProps {
  readonly histogram: Histogram | undefined;
  readonly chosen: readonly string[];
  readonly onToggle: (status: string) => void;
}

/** Counts by status: buttons that filter. */
export function StatusCounts({ histogram, chosen, onToggle }: CountsProps) {
  const total = (status: (typeof runStatuses)[number]): number | undefined =>
    histogram?.data.reduce((all, { counts }) => all + (counts[status] ?? 0), 0);
  return (
    <div className="counts" role="group" aria-label="Status">
      {runStatuses.map((status) => (
        <button
          key={status}
          type="button"
          className={`count-button s-${status}`}
          aria-pressed={chosen.includes(status)}
          onClick={() => onToggle(status)}
        >
          <StatusMark status={status} />
          <span>{status}</span>
          {total(status) !== undefined && <b className="num">{total(status)?.toLocaleString('en')}</b>}
        </button>
      ))}
    </div>
  );
}
