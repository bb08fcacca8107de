/** The route that shows workers, the queue and settings. */
import { type Setting, type Worker, instant, ProblemError, routes } from '@baton/api';
import { defined } from '@baton/primitives';
import { type Clock, liveness } from '@baton/runner';
import { type Store, type WorkerSummary, drainWorker, listWorkers, queueCounts } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface SystemOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: readonly Setting[];
}

const countedMax = 100_000;
/** How long a silent worker is still listed. */
const shownMs = 3_600_000;

export function systemRoutes(app: App, { store, clock, settings }: SystemOptions): void {
  const workers = async (): Promise<Worker[]> =>
    (await listWorkers(store, shownMs)).map((worker) => shownWorker(worker, clock.now()));
  route(app, routes.listWorkers, async () => ({ data: await workers() }));
  route(app, routes.drainWorker, async ({ params: { id }, principal }) => {
    await drainWorker(store, id, principal.by);
    const worker = (await workers()).find((one) => one.id === id);
    if (worker === undefined)
      throw new ProblemError('not-found', `There is no worker ${JSON.stringify(id.slice(0, 80))}.`);
    return worker;
  });
  route(app, routes.getQueue, async () => {
    const { oldestAt, ...counts } = await queueCounts(store, countedMax);
    return { ...counts, ...(oldestAt === undefined ? {} : { oldestAt: instant(oldestAt) }) };
  });
  route(app, routes.listSettings, async () => ({ data: [...settings] }));
}

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
