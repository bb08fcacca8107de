/** Calls a tool by hand: as a run of one step, so that it is in the journal like every other call. */
import type { Tool } from '@baton/api/client';
import type { JsonObject } from '@baton/primitives';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';
import { defaultsOf, missingIn, SchemaForm } from '../parts/schemaForm.tsx';

interface CallDialogProps {
  readonly server: string;
  readonly tool: Tool;
  readonly onClose: () => void;
}

const notInNames = /[^a-z0-9-]+/g;

export function CallDialog({ server, tool, onClose }: CallDialogProps) {
  const { name, effect, inputSchema } = tool;
  const [, go] = useLocation();
  const [value, setValue] = useState<JsonObject>(() => defaultsOf(inputSchema));
  const [isBroken, setBroken] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.runs.start(oneCall(server, name, value)),
    onSuccess: ({ id }) => go(`/runs/${id}?step=call`),
  });
  const missing = missingIn(inputSchema, value);
  return (
    <Dialog
      title={`Call ${server}/${name}`}
      onClose={onClose}
      footer={
        <Button look="main" isBusy={isPending} disabled={missing.length > 0 || isBroken} onClick={() => mutate()}>
          {effect === 'write' ? 'Call it: it changes something' : 'Call it'}
        </Button>
      }
    >
      {effect === 'write' ? (
        <Warning>Its effect is write: the call changes something outside of Baton, and may not be undone.</Warning>
      ) : (
        <p className="dim">
          Its effect is {effect}:{' '}
          {effect === 'read' ? 'the call changes nothing.' : 'calling it twice is as calling it once.'}
        </p>
      )}
      <SchemaForm schema={inputSchema} value={value} onChange={setValue} onBroken={setBroken} />
      <ProblemNote error={error} />
    </Dialog>
  );
}

function oneCall(server: string, tool: string, value: JsonObject): JsonObject {
  const name = `call-${server}-${tool}`.toLowerCase().replaceAll(notInNames, '-').slice(0, 63);
  return { workflow: name, steps: [{ id: 'call', tool: `${server}/${tool}`, with: value }] };
}
