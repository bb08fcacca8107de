/** Starts a run: a form from the schema of the inputs. */
import type { JsonObject } from '@baton/primitives';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { useWorkflow } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { missingIn, SchemaForm, untickedIn } from '../parts/schemaForm.tsx';

export function RunDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const { data, error } = useWorkflow(id);
  const [given, setGiven] = useState<JsonObject>({});
  const [isBroken, setBroken] = useState(false);
  const inputs = { ...untickedIn(data?.inputs), ...given };
  const start = useMutation({
    mutationFn: () => client.runs.start(id, inputs),
    onSuccess: ({ id: run }) => go(`/runs/${run}`),
  });
  const missing = data === undefined ? [] : missingIn(data.inputs, inputs);
  return (
    <Dialog
      title={`Run ${id}`}
      onClose={onClose}
      footer={
        <Button
          look="main"
          isBusy={start.isPending}
          disabled={data === undefined || missing.length > 0 || isBroken}
          onClick={() => start.mutate()}
        >
          Run
        </Button>
      }
    >
      <ProblemNote error={error ?? start.error} />
      {data === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <>
          {'description' in data && typeof data.description === 'string' && <p className="dim">{data.description}</p>}
          <SchemaForm schema={data.inputs} value={inputs} onChange={setGiven} onBroken={setBroken} />
        </>
      )}
    </Dialog>
  );
}
