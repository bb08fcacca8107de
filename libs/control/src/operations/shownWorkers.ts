/** Workers as the API shows them. */
import { type Worker, instant } from '@baton/api';
import { defined } from '@baton/primitives';
import { liveness } from '@baton/runner';
import type { WorkerSummary } from '@baton/store';

/** Those that are silent come last: who takes the first one means a worker that runs. */
export const shownWorkers = (workers: readonly WorkerSummary[], nowMs: number): Worker[] =>
  workers
    .map((worker) => shownWorker(worker, nowMs))
    .toSorted((a, b) => Number(a.status === 'silent') - Number(b.status === 'silent'));

function shownWorker(worker: WorkerSummary, nowMs: number): Worker {
  const { id, host, pid, version, isDraining, drainBy, startedAt, heartbeatAt, runs, concurrency } = worker;
  const isSilent = nowMs - heartbeatAt > liveness.silentMs;
  const alive = isDraining || drainBy !== undefined ? 'draining' : 'working';
  return {
    id,
    host,
    pid,
    version,
    status: isSilent ? 'silent' : alive,
    startedAt: instant(startedAt),
    heartbeatAt: instant(heartbeatAt),
    runs,
    ...defined({ concurrency, drainBy }),
  };
}
