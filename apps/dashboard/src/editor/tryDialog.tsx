/** Runs the current text without deploying it. */
import type { JsonObject } from '@baton/primitives';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { parseMap } from '../parts/json.ts';
import { JsonField } from '../parts/jsonField.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

export function TryDialog({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [given, setGiven] = useState('{}');
  const parsed = parseMap(given);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (values: JsonObject) => client.runs.start(text, values),
    onSuccess: ({ id }) => go(`/runs/${id}`),
  });
  return (
    <Dialog
      title="Try it"
      onClose={onClose}
      footer={
        <Button
          look="main"
          isBusy={isPending}
          disabled={'problem' in parsed}
          onClick={() => 'value' in parsed && mutate(parsed.value)}
        >
          Run it once
        </Button>
      }
    >
      <Warning>The run is real: it calls the tools of the live servers. Nothing is deployed.</Warning>
      <JsonField
        label="Inputs, as JSON"
        text={given}
        problem={'problem' in parsed ? parsed.problem : undefined}
        onText={setGiven}
      />
      <ProblemNote error={error} />
    </Dialog>
  );
}
