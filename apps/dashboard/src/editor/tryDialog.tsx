/** Runs the current text without deploying it. */
import type { JsonObject } from '@baton/language';
import { isObject } from '@baton/primitives';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { parseJson } from '../parts/json.ts';
import { ProblemNote, Warning } from '../parts/notes.tsx';

export function TryDialog({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [given, setGiven] = useState('{}');
  const parsed = parseJson(given);
  const inputs: JsonObject | undefined = 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined;
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
          disabled={inputs === undefined}
          onClick={() => inputs !== undefined && mutate(inputs)}
        >
          Run it once
        </Button>
      }
    >
      <Warning>The run is real: it calls the tools of the live servers. Nothing is deployed.</Warning>
      <label className="field">
        <span className="label">Inputs, as JSON</span>
        <textarea
          className="input"
          spellCheck={false}
          value={given}
          onChange={(event) => setGiven(event.target.value)}
        />
        {inputs === undefined && (
          <span className="hint red">{'problem' in parsed ? parsed.problem : 'A map is expected.'}</span>
        )}
      </label>
      <ProblemNote error={error} />
    </Dialog>
  );
}
