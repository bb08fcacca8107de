/** Runs missed times of a schedule, after a preview. */
import { countText } from '@baton/engine';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { dayMs } from '../parts/time.ts';
import { InstantText } from '../parts/timeText.tsx';
import { toast } from '../parts/toast.tsx';

/** Formats an instant for `datetime-local`, in the browser's time zone. */
function fieldText(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The fields are in the zone of the browser, whichever zone the page shows times in. */
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const shownMax = 12;

export function BackfillDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [from, setFrom] = useState(() => fieldText(Date.now() - dayMs));
  const [to, setTo] = useState(() => fieldText(Date.now() - 60_000));
  const isGiven = from !== '' && to !== '';
  // The client converts epoch milliseconds into the contract's instants.
  const body = { from: instantOf(from), to: instantOf(to) };
  const preview = useQuery({
    queryKey: ['backfill', id, from, to],
    queryFn: () => client.schedules.backfill(id, { ...body, preview: true }),
    enabled: isGiven,
    gcTime: 0,
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.schedules.backfill(id, body),
    onSuccess: ({ queued }) => {
      toast(
        queued.length === 0
          ? 'Each of them has run already.'
          : `${countText(queued.length, 'time')} of the past: one run after the other.`,
      );
      onClose();
    },
  });
  // A preview queues nothing: which of them ran before is known when they are queued.
  const instants = preview.data?.instants ?? [];
  return (
    <Dialog
      title="Run missed times"
      onClose={onClose}
      footer={
        <Button look="main" isBusy={isPending} disabled={instants.length === 0} onClick={() => mutate()}>
          Run {countText(instants.length, 'time')}
        </Button>
      }
    >
      <div className="row wrap">
        <label className="field">
          <span className="label">From ({zone})</span>
          <input
            className="input"
            type="datetime-local"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        </label>
        <label className="field">
          <span className="label">To ({zone})</span>
          <input className="input" type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
        </label>
      </div>
      <ProblemNote error={preview.error ?? error} />
      {preview.data !== undefined && (
        <>
          <p>
            {countText(instants.length, 'time')} {instants.length === 1 ? 'lies' : 'lie'} in it. One that has run
            already does not run again.
          </p>
          <ol>
            {instants.slice(0, shownMax).map((at) => (
              <li key={at}>
                <InstantText at={at} />
              </li>
            ))}
            {instants.length > shownMax && <li className="dim">and {instants.length - shownMax} more</li>}
          </ol>
        </>
      )}
    </Dialog>
  );
}

const instantOf = (text: string): string => (text === '' ? '' : new Date(text).toISOString());
