/** Retries a run with its own or a newer version; first shows which calls would be repeated. */
import type { RerunResult } from '@baton/api/client';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { AgainDialog } from './againDialog.tsx';
import type { RunMoment } from './fold.ts';
import { useAgain } from './useAgain.ts';

/** A retry needs a dialog only if there is a newer version to choose, or a write may happen a second time. */
export const mustAskBeforeRetry = ({ newerVersion, again }: RerunResult): boolean =>
  newerVersion !== undefined || again.some(({ effect, outcome }) => effect === 'write' && outcome !== 'failed');

interface RetryDialogProps extends Pick<RunMoment, 'run'> {
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
