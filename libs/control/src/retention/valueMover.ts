/** Moves large values out of the database when they are old enough. Every orchestrator runs one; each moves other values. */
import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';
import { type Store, type ValuePlace, moveValue } from '@baton/store';

export interface ValueMoverOptions {
  readonly store: Pick<Store, 'pool'>;
  readonly place: ValuePlace;
  readonly clock: Clock;
  /** How long a value stays. */
  readonly afterMs: number;
  readonly onTrouble: TaskTrouble;
}

const everyMs = 15_000;

/** It is not started. A place that is away delays it; the values stay where they are. */
export function valueMover({ store, place, clock, afterMs, onTrouble }: ValueMoverOptions): BackgroundTask {
  const mover = new BackgroundTask({
    name: 'values',
    clock,
    run: async () => {
      let isMore = true;
      while (isMore && !mover.isClosed) isMore = await moveValue(store, place, clock.now() - afterMs);
      return everyMs;
    },
    onTrouble,
  });
  return mover;
}
