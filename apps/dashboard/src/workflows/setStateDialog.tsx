/** Replaces a value of a workflow's state, unless something has written it meanwhile. */
import { type StateValue, ProblemError } from '@baton/api/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { parseJson, prettyJson } from '../parts/json.ts';
import { JsonField } from '../parts/jsonField.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';

interface SetStateProps {
  readonly workflow: string;
  readonly value: StateValue;
  readonly onClose: () => void;
}

export function SetStateDialog({ workflow, value: { key, value, revision }, onClose }: SetStateProps) {
  const cache = useQueryClient();
  const [text, setText] = useState(value === undefined ? '' : prettyJson(value));
  // What the dialog opened with: the list behind it is read again.
  const [seen] = useState(revision);
  const parsed = parseJson(text);
  const problem = 'problem' in parsed && text !== '' ? parsed.problem : undefined;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (known: number) => {
      if ('value' in parsed) await client.state.set(workflow, key, parsed.value, { revision: known });
    },
    onError: () => cache.invalidateQueries({ queryKey: ['state', workflow] }),
    onSuccess: () => {
      toast(`Runs that begin from now on read the new ${key}.`);
      void cache.invalidateQueries({ queryKey: ['state', workflow] });
      onClose();
    },
  });
  const isOvertaken = error instanceof ProblemError && error.status === 412;
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        look="main"
        isBusy={isPending}
        disabled={'problem' in parsed}
        onClick={() => mutate(isOvertaken ? revision : seen)}
      >
        {isOvertaken ? `Set ${key} all the same` : `Set ${key}`}
      </Button>
    </>
  );
  return (
    <Dialog title={`Set ${key} of ${workflow}`} onClose={onClose} footer={footer}>
      <p className="dim">Runs that have begun keep what they have read.</p>
      <JsonField label="Value, as JSON" rows={6} text={text} problem={problem} onText={setText} />
      {isOvertaken ? (
        <Warning>
          Something has written {key} since this was opened. It is now:
          <pre>{prettyJson(value)}</pre>
        </Warning>
      ) : (
        <ProblemNote error={error} />
      )}
    </Dialog>
  );
}
