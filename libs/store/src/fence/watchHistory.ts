import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';

import type { HistoryWatch } from './historyWatch.ts';

const everyMs = 1_000;

export interface WatchHistoryOptions {
  readonly store: { readonly history: Pick<HistoryWatch, 'look'> };
  readonly clock: Pick<Clock, 'after'>;
  readonly onTrouble: TaskTrouble;
}

/** Compares each second whether Postgres still has what this process saw, until the task is closed. */
export function watchHistory({ store, clock, onTrouble }: WatchHistoryOptions): BackgroundTask {
  const run = async (): Promise<number> => {
    await store.history.look();
    return everyMs;
  };
  const name = 'Postgres could not be asked for what it had before';
  const task = new BackgroundTask({ name, clock, run, onTrouble, awayMs: () => everyMs });
  task.start();
  return task;
}
