/** Retries a run, after what would be kept and called again was said. */
import { useState } from 'react';

import { client } from '../api/client.ts';
import { AgainDialog } from './againDialog.tsx';
import type { NamedRun } from './againPreview.tsx';
import { useAgain } from './useAgain.ts';

interface RetryDialogProps {
  readonly run: NamedRun;
  /** Called with the id of the new run. */
  readonly onStarted: (id: string | undefined) => void;
  readonly onClose: () => void;
}

export function RetryDialog({ run, onStarted, onClose }: RetryDialogProps) {
  const [version, setVersion] = useState<number>();
  const body = version === undefined ? {} : { version };
  const again = useAgain({
    kind: 'retry',
    runId: run.id,
    body,
    call: (given) => client.runs.retry(run.id, given),
    onStarted,
  });
  return (
    <AgainDialog title="Retry" run={run} version={version} onVersion={setVersion} again={again} onClose={onClose} />
  );
}
