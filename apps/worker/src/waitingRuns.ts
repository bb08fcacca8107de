import type { WaitingRuns } from '@baton/runner';
import { type Store, cancellingAmong, dueRuns, neglectedRuns, silentRuns, unknownRuns } from '@baton/store';

/** The runs in Postgres that this worker may take. */
export const waitingRuns = (store: Store, worker: string): WaitingRuns => ({
  atWork: () => store.runsAtWork(),
  cancellingAmong: (runIds) => cancellingAmong(store, runIds),
  due: async (look) => (await dueRuns(store, look)).runs,
  silent: (look) => silentRuns(store, look),
  unknown: (look) => unknownRuns(store, worker, look),
  neglected: (share, offered) =>
    offered === undefined ? neglectedRuns(store, share) : store.offeredRuns(share, offered),
});
