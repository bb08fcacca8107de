/** A slider over the journal: shows the run as of any event. The right end is now. */
import type { RunEvent, Trace } from '@baton/engine';
import { ChevronLeft, ChevronRight, Radio } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';

import { Button } from '../parts/button.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { eventText } from './eventText.ts';
import type { FollowedRun } from './useRun.ts';

/** The interval of changes of the address during a drag: browsers limit them. */
const addressMs = 120;

export interface DraggedMoment {
  /** The number of events; undefined: all. */
  readonly at: number | undefined;
  readonly drag: (at: number | undefined) => void;
}

/** The page follows a drag at once; the address, with its parameter `at`, follows later through `onAt`. */
export function useDragged(at: number | undefined, onAt: (at: number | undefined) => void): DraggedMoment {
  const [dragged, setDragged] = useState<Pick<DraggedMoment, 'at'>>();
  const lastMs = useRef(0);
  const address = useRef(onAt);
  address.current = onAt;
  useEffect(() => {
    if (dragged === undefined) return;
    const waitMs = Math.max(0, lastMs.current + addressMs - performance.now());
    const timer = setTimeout(() => {
      lastMs.current = performance.now();
      address.current(dragged.at);
      setDragged((now) => (now === dragged ? undefined : now));
    }, waitMs);
    return () => clearTimeout(timer);
  }, [dragged]);
  const drag = useCallback((wanted: number | undefined) => setDragged({ at: wanted }), []);
  return { at: dragged === undefined ? at : dragged.at, drag };
}

export function Slider({ view, moment }: { readonly view: FollowedRun; readonly moment: DraggedMoment }) {
  const { events, now, isLive } = view;
  const count = events.length;
  const at = Math.min(moment.at ?? count, count);
  const set = (wanted: number): void => moment.drag(wanted >= count ? undefined : Math.max(1, wanted));
  const steps = { back: <ChevronLeft size={14} />, on: <ChevronRight size={14} /> };
  return (
    <div className="slider">
      <Button
        look="quiet"
        isTiny
        label="One event back"
        icon={steps.back}
        disabled={at <= 1}
        onClick={() => set(at - 1)}
      />
      <input
        type="range"
        min={1}
        max={Math.max(1, count)}
        value={at}
        aria-label="Moment in the journal"
        aria-valuetext={`After event ${at} of ${count}`}
        onChange={({ target }) => set(target.valueAsNumber)}
      />
      <Button
        look="quiet"
        isTiny
        label="One event on"
        icon={steps.on}
        disabled={at >= count}
        onClick={() => set(at + 1)}
      />
      <Button
        isTiny
        look={isLive ? 'quiet' : 'usual'}
        icon={<Radio size={13} />}
        disabled={isLive}
        onClick={() => set(count)}
      >
        Now
      </Button>
      <SliderText
        at={at}
        count={count}
        event={events[at - 1]}
        next={isLive ? undefined : events[at]}
        trace={now?.trace}
      />
    </div>
  );
}

interface SliderTextProps {
  readonly at: number;
  readonly count: number;
  readonly event: RunEvent | undefined;
  readonly next: RunEvent | undefined;
  readonly trace: Trace | undefined;
}

function SliderText({ at, count, event, next, trace }: SliderTextProps) {
  return (
    <div className="slider-text small">
      <span className="num faint">
        {at.toLocaleString('en')} / {count.toLocaleString('en')}
      </span>
      {event !== undefined && <InstantText at={event.at} digits={3} />}
      {event !== undefined && (
        <span className="cut">
          <code>{event.type}</code> {'path' in event && <b>{event.path}</b>}{' '}
          <span className="dim">{trace !== undefined && eventText(event, trace)}</span>
        </span>
      )}
      {next !== undefined && (
        <span className="cut faint">
          then <code>{next.type}</code> {'path' in next && next.path}
        </span>
      )}
    </div>
  );
}
