/** Lists the raw events of the journal. */
import type { RunEvent, Trace } from '@baton/engine';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Download } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';

import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copyButton.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { prettyJson } from '../parts/json.ts';
import { saveFile } from '../parts/saveFile.ts';
import { InstantText } from '../parts/timeText.tsx';
import { eventText } from './eventText.ts';

interface JournalViewProps {
  readonly runId: string;
  readonly events: readonly RunEvent[];
  /** The trace of all events. */
  readonly trace: Trace;
  readonly onAt: (seq: number) => void;
}

const rowHeight = 30;

export function JournalView({ runId, events, trace, onAt }: JournalViewProps) {
  const [text, setText] = useState('');
  const [open, setOpen] = useState<number>();
  const total = events.length;
  const shown = useMemo(() => matching(events, total, trace, text.trim().toLowerCase()), [events, total, trace, text]);
  const place = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const openEvent = open === undefined ? undefined : events[open];
  return (
    <div className="journal">
      <div className="row wrap effects-head">
        <input
          className="input journal-find"
          type="search"
          aria-label="Find events"
          placeholder="Type, step or text"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="dim small num">
          {shown.length.toLocaleString('en')} of {total.toLocaleString('en')} events
        </span>
        <Button look="quiet" isTiny icon={<Download size={13} />} onClick={() => download(runId, events)}>
          Download
        </Button>
      </div>
      <div ref={place} className="timeline-scroll" role="list" aria-label="Events">
        <div style={{ height: list.getTotalSize(), position: 'relative' }}>
          {list.getVirtualItems().map(({ index, start, key }) => {
            const at = shown[index] ?? 0;
            const event = events[at];
            return event === undefined ? null : (
              <div key={key} role="listitem" className="timeline-row" style={{ transform: `translateY(${start}px)` }}>
                <div className="event-row" onClick={() => setOpen(at)}>
                  <span className="num faint small">{at + 1}</span>
                  <span className="small wide-only dim">
                    <InstantText at={event.at} digits={3} />
                  </span>
                  <button type="button" className="t-name cut" onClick={() => setOpen(at)}>
                    <code>{event.type}</code>
                  </button>
                  <CutText text={'path' in event ? event.path : ''} />
                  <CutText text={eventText(event, trace)} isDim />
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {open !== undefined && openEvent !== undefined && (
        <EventDialog seq={open + 1} event={openEvent} onAt={onAt} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

/** What has no room is read on hover, and in the dialog of the event. */
const CutText = ({ text, isDim = false }: { readonly text: string; readonly isDim?: boolean }) => (
  <span className={`cut${isDim ? ' dim' : ''}`} title={text}>
    {text}
  </span>
);

interface EventDialogProps extends Pick<JournalViewProps, 'onAt'> {
  readonly seq: number;
  readonly event: RunEvent;
  readonly onClose: () => void;
}

const shownCharacters = 100_000;

function EventDialog({ seq, event, onAt, onClose }: EventDialogProps) {
  return (
    <Dialog
      title={`Event ${seq}: ${event.type}`}
      onClose={onClose}
      isWide
      footer={<Button onClick={() => onAt(seq)}>Show the run after this event</Button>}
    >
      <div className="code">
        <span className="copy">
          <CopyButton text={() => prettyJson(event)} />
        </span>
        <pre>{prettyJson(event).slice(0, shownCharacters)}</pre>
      </div>
    </Dialog>
  );
}

/** Positions of the events that contain the text. */
function matching(events: readonly RunEvent[], total: number, trace: Trace, wanted: string): number[] {
  const all = Array.from({ length: total }, (_, at) => at);
  if (wanted === '') return all;
  return all.filter((at) => {
    const event = events[at];
    if (event === undefined) return false;
    return `${event.type} ${'path' in event ? event.path : ''} ${eventText(event, trace)}`
      .toLowerCase()
      .includes(wanted);
  });
}

function download(runId: string, events: readonly RunEvent[]): void {
  const lines = events.map((event, at) => JSON.stringify({ seq: at + 1, ...event })).join('\n');
  saveFile(`${runId}.ndjson`, 'application/x-ndjson', `${lines}\n`);
}
