import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { parseJson } from '../parts/json.ts';
import { JsonField } from '../parts/jsonField.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';
import type { RunMoment } from './fold.ts';

const shownMax = 5;

export function SignalDialog({
  moment: { run, trace },
  onClose,
}: {
  readonly moment: RunMoment;
  readonly onClose: () => void;
}) {
  const waiting = trace.steps.flatMap(({ path, status, awaiting }) =>
    status === 'waiting' && awaiting?.for === 'signal' ? [{ path, name: awaiting.name }] : [],
  );
  const [name, setName] = useState(waiting[0]?.name ?? '');
  const [text, setText] = useState('');
  const parsed = text.trim() === '' ? { value: null } : parseJson(text);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (payload: unknown) => client.runs.signal(run.id, name.trim(), payload),
    onSuccess: () => {
      toast(`The run has the signal ${name}.`);
      onClose();
    },
  });
  return (
    <Dialog
      title="Send a signal"
      onClose={onClose}
      footer={
        <Button
          look="main"
          isBusy={isPending}
          disabled={name.trim() === '' || 'problem' in parsed}
          onClick={() => 'value' in parsed && mutate(parsed.value)}
        >
          Send
        </Button>
      }
    >
      {waiting.length === 0 ? (
        <p className="dim">No step waits for a signal now; the run keeps it until one does.</p>
      ) : (
        <ul className="dim breaks">
          {waiting.slice(0, shownMax).map((one) => (
            <li key={one.path}>
              {one.path} waits for the signal {one.name}.
            </li>
          ))}
          {waiting.length > shownMax && <li>and {waiting.length - shownMax} more</li>}
        </ul>
      )}
      <label className="field">
        <span className="label">Name</span>
        <input className="input" value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <JsonField
        label="Payload, as JSON"
        text={text}
        problem={'problem' in parsed ? parsed.problem : undefined}
        onText={setText}
      />
      <ProblemNote error={error} />
    </Dialog>
  );
}
