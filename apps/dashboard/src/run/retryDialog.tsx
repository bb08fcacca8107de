/** Goes on from where a run failed, on its own version or a mended one; says first what would be made again. */
import type { RerunResult } from '@baton/api/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { AgainDialog } from './againDialog.tsx';
import type { RunMoment } from './fold.ts';

/** A retry starts without asking unless there is a choice to make, or a write may happen a second time. */
export const mustAskBeforeRetry = ({ newerVersion, again }: RerunResult): boolean =>
  newerVersion !== undefined || again.some(({ effect, outcome }) => effect === 'write' && outcome !== 'failed');

interface RetryDialogProps extends Pick<RunMoment, 'run'> {
  /** Of the new run. */
  readonly onStarted: (id: string | undefined) => void;
  readonly onClose: () => void;
}

export function RetryDialog({ run, onStarted, onClose }: RetryDialogProps) {
  const [version, setVersion] = useState<number>();
  const body = version === undefined ? {} : { version };
  const preview = useQuery({
    queryKey: ['retry', run.id, body],
    queryFn: () => client.runs.retry(run.id, { ...body, preview: true }),
    staleTime: 0,
    gcTime: 0,
  });
  const start = useMutation({
    mutationFn: () => client.runs.retry(run.id, body),
    onSuccess: ({ id }) => onStarted(id),
  });
  return (
    <AgainDialog
      title="Retry"
      run={run}
      version={version}
      onVersion={setVersion}
      preview={preview}
      start={start}
      onClose={onClose}
    />
  );
}
