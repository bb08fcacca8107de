/** The journal as a slider: the run as it was after any event. The right-hand end is now. */
import type { RunEvent, Trace } from '@baton/engine';
import { ChevronLeft, ChevronRight, Radio } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { Button } from '../parts/button.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { eventText } from './eventText.ts';
import type { RunView } from './useRun.ts';

interface SliderProps {
  readonly view: RunView;
  /** Undefined: the end. */
  readonly onAt: (at: number | undefined) => void;
}

/** While it is dragged the address changes this often: browsers allow few changes a second. */
const addressMs = 120;

/** What is dragged is shown at once; the address follows. */
function useDragged(at: number, count: number, onAt: SliderProps['onAt']) {
  const [dragged, setDragged] = useState<number>();
  const lastMs = useRef(0);
  const set = useRef<(wanted: number) => void>(() => {});
  set.current = (wanted) => onAt(wanted >= count ? undefined : Math.max(1, wanted));
  useEffect(() => {
    if (dragged === undefined) return;
    const waitMs = Math.max(0, lastMs.current + addressMs - performance.now());
    const timer = setTimeout(() => {
      lastMs.current = performance.now();
      set.current(dragged);
      setDragged((now) => (now === dragged ? undefined : now));
    }, waitMs);
    return () => clearTimeout(timer);
  }, [dragged]);
  return { at: dragged ?? at, drag: setDragged, set: (wanted: number): void => set.current(wanted) };
}

export function Slider({ view, onAt }: SliderProps) {
  const { events, shown, now, isLive } = view;
  const count = events.length;
  const { at, drag, set } = useDragged(shown?.seq ?? count, count, onAt);
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
        onChange={({ target }) => drag(target.valueAsNumber)}
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
