/** Operations of what Baton runs on: workers, the queue, settings, the history of the database. */
import { type Setting, type Worker, instant, ProblemError, routes } from '@baton/api';
import type { Clock } from '@baton/runner';
import { type Store, drainWorker as requestDrain, listWorkers as readWorkers, queueCounts } from '@baton/store';

import { type FenceLiftOrder, type FenceOptions, letRunsGoOn, showFence } from '../fence/fenceActions.ts';
import { ofInstallation } from './operation.ts';
import type { ById } from './reach.ts';
import { shownWorkers } from './shownWorkers.ts';

interface SystemParts {
  readonly store: Store;
  readonly clock: Clock;
}

const countedMax = 100_000;
/** How long a silent worker is still listed. */
const shownMs = 3_600_000;

export const listWorkers = ofInstallation(routes.listWorkers, async (parts: SystemParts) => ({
  data: await workersOf(parts),
}));

export const drainWorker = ofInstallation(routes.drainWorker, async (parts: SystemParts, { id }: ById, { by }) => {
  await requestDrain(parts.store, id, by);
  const worker = (await workersOf(parts)).find((one) => one.id === id);
  if (worker === undefined)
    throw new ProblemError('not-found', `There is no worker ${JSON.stringify(id.slice(0, 80))}.`);
  return worker;
});

export const getQueue = ofInstallation(routes.getQueue, async ({ store }: SystemParts) => {
  const { oldestAt, ...counts } = await queueCounts(store, countedMax);
  return { ...counts, ...(oldestAt === undefined ? {} : { oldestAt: instant(oldestAt) }) };
});

export const listSettings = ofInstallation(
  routes.listSettings,
  async ({ settings }: { readonly settings: readonly Setting[] }) => ({
    data: [...settings],
  }),
);

/** What a database that went back in time lacks. */
export const getFence = ofInstallation(routes.getFence, (parts: FenceOptions) => showFence(parts));

/** Lets its runs go on. */
export const liftFence = ofInstallation(routes.liftFence, (parts: FenceOptions, order: FenceLiftOrder, caller) =>
  letRunsGoOn(parts, order, caller),
);

const workersOf = async ({ store, clock }: SystemParts): Promise<Worker[]> =>
  shownWorkers(await readWorkers(store, shownMs), clock.now());
