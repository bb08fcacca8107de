/** Retries a run, after what would be kept and called again was said. */
import { defined } from '@baton/primitives';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { AgainDialog } from './againDialog.tsx';
import type { NamedRun } from './againPreview.tsx';
import { type Told, LostCalls } from './lostCalls.tsx';
import { useAgain } from './useAgain.ts';

interface RetryDialogProps {
  readonly run: NamedRun;
  /** What is known already of calls whose answers were lost. */
  readonly told?: Told;
  /** Called with the id of the new run. */
  readonly onStarted: (id: string | undefined) => void;
  readonly onClose: () => void;
}

export function RetryDialog({ run, told: known, onStarted, onClose }: RetryDialogProps) {
  const [version, setVersion] = useState<number>();
  const [told, setTold] = useState(known ?? []);
  const mayTell = useMay('questions:answer');
  const body = defined({ version, told: told.length === 0 ? undefined : told });
  const again = useAgain({
    kind: 'retry',
    runId: run.id,
    body,
    call: (given) => client.runs.retry(run.id, given),
    onStarted,
  });
  return (
    <AgainDialog title="Retry" run={run} version={version} onVersion={setVersion} again={again} onClose={onClose}>
      {mayTell && <LostCalls again={again.preview.data?.again} told={told} onTold={setTold} />}
    </AgainDialog>
  );
}
