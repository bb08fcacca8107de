/** Instants and durations on the screen. */
import { durationText, relativeText } from '@baton/primitives';

import { usePreferences } from './preferences.ts';
import { useNow, instantText, msOf } from './time.ts';

/** A relative time, with the instant on hover. */
export function TimeText({ at }: { readonly at: string | number | undefined }) {
  const now = useNow();
  const { zone } = usePreferences();
  const ms = typeof at === 'number' ? at : msOf(at);
  if (ms === undefined) return <span className="faint">—</span>;
  return (
    <time className="num" dateTime={new Date(ms).toISOString()} title={instantText(ms, zone, 3)}>
      {relativeText(ms, now)}
    </time>
  );
}

/** The instant itself, in the zone that the person chose. Where it is too wide, the time is beneath the date. */
export function InstantText({ at, digits = 0 }: { readonly at: string | number | undefined; readonly digits?: 0 | 3 }) {
  const { zone } = usePreferences();
  const ms = typeof at === 'number' ? at : msOf(at);
  if (ms === undefined) return <span className="faint">—</span>;
  const [date, ...time] = instantText(ms, zone, digits).split(' ');
  return (
    <time className="num instant" dateTime={new Date(ms).toISOString()} title={relativeText(ms, Date.now())}>
      <span>{date}</span> <span>{time.join(' ')}</span>
    </time>
  );
}

/** A duration, which ticks while there is no end. */
export function DurationText({ from, to }: { readonly from: number | undefined; readonly to: number | undefined }) {
  if (from === undefined) return <span className="faint">—</span>;
  return to === undefined ? <Ticking from={from} /> : <span className="num">{durationText(to - from)}</span>;
}

function Ticking({ from }: { readonly from: number }) {
  const now = useNow();
  return <span className="num">{durationText(now - from)}</span>;
}
