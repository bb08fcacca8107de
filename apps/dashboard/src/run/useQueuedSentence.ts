/** Why a run is still queued: its journal does not say what it waits for. */
import { type Run, rowOf } from '@baton/engine';
import { useQuery } from '@tanstack/react-query';

import { client } from '../api/client.ts';

const everyMs = 2_000;

/** The sentence of the orchestrator; undefined until it is read, and once the run has begun. */
export function useQueuedSentence(run: Run): string | undefined {
  const isQueued = rowOf(run).status === 'queued';
  const { data } = useQuery({
    queryKey: ['queued', run.id],
    queryFn: ({ signal }) => client.runs.get(run.id, { signal }),
    enabled: isQueued,
    refetchInterval: everyMs,
  });
  return isQueued ? data?.sentence : undefined;
}
