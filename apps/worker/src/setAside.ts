/**
 * Runs that could not be driven, such as those whose values were changed in the database. Looks leave them out for a while,
 * longer each time: otherwise they would come first for ever, since they have waited longest.
 */
import { backoffMs, NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';

const pauses = { firstMs: 5_000, longestMs: 300_000 };
const runsMax = 1_000;

interface SetAsideRun {
  readonly until: number;
  readonly failures: number;
}

export class SetAside {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** In the order in which they were set aside. */
  readonly #runs = new NewestMap<string, SetAsideRun>(runsMax);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Call it when the run could not be driven. */
  add(runId: string): void {
    const failures = (this.#runs.get(runId)?.failures ?? 0) + 1;
    this.#runs.set(runId, { until: this.#clock.monotonic() + backoffMs(failures, pauses), failures });
  }

  /** Call it when the run was driven. */
  remove(runId: string): void {
    this.#runs.delete(runId);
  }

  /** Ids of the runs to leave out now. */
  ids(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#runs].flatMap(([runId, { until }]) => (until > now ? [runId] : []));
  }
}
