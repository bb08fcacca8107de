/** Runs the times that were missed; lists them before. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { dayMs } from '../parts/time.ts';
import { InstantText } from '../parts/timeText.tsx';
import { toast } from '../parts/toast.tsx';

/** As `datetime-local` writes it, in the zone of the browser. */
function fieldText(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const shownMax = 12;

export function BackfillDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [from, setFrom] = useState(() => fieldText(Date.now() - dayMs));
  const [to, setTo] = useState(() => fieldText(Date.now() - 60_000));
  const isGiven = from !== '' && to !== '';
  // The client writes numbers as instants where the contract reads texts.
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
      toast(`${queued.length} times run now, one after the other.`);
      onClose();
    },
  });
  const queued = preview.data?.queued ?? [];
  return (
    <Dialog
      title="Run missed times"
      onClose={onClose}
      footer={
        <Button look="main" isBusy={isPending} disabled={queued.length === 0} onClick={() => mutate()}>
          Run {queued.length} {queued.length === 1 ? 'time' : 'times'}
        </Button>
      }
    >
      <div className="row wrap">
        <label className="field">
          <span className="label">From</span>
          <input
            className="input"
            type="datetime-local"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        </label>
        <label className="field">
          <span className="label">To</span>
          <input className="input" type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
        </label>
      </div>
      <ProblemNote error={preview.error ?? error} />
      {preview.data !== undefined && (
        <>
          <p>
            {preview.data.instants.length} times lie in it, {queued.length} of them did not run before.
          </p>
          <ol>
            {queued.slice(0, shownMax).map((at) => (
              <li key={at}>
                <InstantText at={at} />
              </li>
            ))}
            {queued.length > shownMax && <li className="dim">and {queued.length - shownMax} more</li>}
          </ol>
        </>
      )}
    </Dialog>
  );
}

const instantOf = (text: string): string => (text === '' ? '' : new Date(text).toISOString());
