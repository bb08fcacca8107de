/**
 * Counts the unfinished runs of each source (a key, a schedule or a hook), child runs included. The count is up to about
 * a second old (more where it takes over 20 ms), plus the runs that this process accepted since. So several processes may
 * exceed a limit by what the others accept meanwhile. The next count begins a little before the last one is stale: where
 * starts follow each other, none waits for it.
 */
import type { Clock } from '../ports/clock.ts';

export interface RunCountOptions {
  /** Counts unfinished runs by source. Rejects with `UnavailableError`. */
  readonly count: () => Promise<ReadonlyMap<string, number>>;
  readonly clock: Clock;
}

const freshMs = 1_000;
/** A count begins so long before the last one is stale. */
const aheadMs = 200;
/** A count that is due uses at most a fiftieth of the time, however many runs there are. */
const shareOfTime = 50;
/** A start that was in progress when the first of them began is accepted, or not, before the second begins. */
const recountsMax = 2;

export class RunCount {
  readonly #options: RunCountOptions;
  #counted: ReadonlyMap<string, number> = new Map();
  /** Runs accepted since the last count began. */
  #added = new Map<string, number>();
  /** While a count is in progress: runs accepted before it began. */
  #addedBefore: ReadonlyMap<string, number> = new Map();
  /** Starts in progress. */
  readonly #inFlight = new Map<string, number>();
  /** At most so many runs are both in the last count and in one of the maps above: it was made while they started. */
  #maybeTwice = new Map<string, number>();
  #staleAt = -Infinity;
  #counting: Promise<void> | undefined;
  /** Counts made since the last one that was due, because some runs may have counted twice. */
  #recounts = 0;

  constructor(options: RunCountOptions) {
    this.#options = options;
  }

  /**
   * Starts a run if fewer than `limit` runs of `by` are unfinished; undefined if not. Rejects with `UnavailableError`, and
   * with the errors of `start`.
   */
  async within<Started extends { readonly isNew: boolean }>(
    by: string,
    limit: number,
    start: () => Promise<Started>,
  ): Promise<Started | undefined> {
    await this.underWay(by, limit);
    // Looked at again: others that waited for the same count may have begun meanwhile.
    if (this.#underWay(by) >= limit) return undefined;
    addTo(this.#inFlight, by, 1);
    try {
      const started = await start();
      if (started.isNew) addTo(this.#added, by, 1);
      return started;
    } finally {
      addTo(this.#inFlight, by, -1);
    }
  }

  /** How many runs of `by` are unfinished: exact where that decides about `limit`. Rejects with `UnavailableError`. */
  async underWay(by: string, limit: number): Promise<number> {
    const counting = this.#refresh();
    if (this.#isStale(0) || this.#underWay(by) >= limit) await counting;
    // If Postgres refuses, a start that waits is told so.
    else counting?.catch(() => undefined);
    // A run that counts twice must not be why another is refused.
    while (this.#underWay(by) >= limit && this.#surelyUnderWay(by) < limit) if (!(await this.#recount())) break;
    return this.#underWay(by);
  }

  /** A run that was started elsewhere. */
  add(by: string): void {
    addTo(this.#added, by, 1);
    addTo(this.#maybeTwice, by, 1);
  }

  /** False where there were as many counts as there may be until the next one is due: some start takes long. */
  async #recount(): Promise<boolean> {
    if (this.#counting === undefined && this.#recounts === recountsMax) return false;
    if (this.#counting === undefined) this.#recounts += 1;
    await (this.#counting ??= this.#count());
    return true;
  }

  /** Whether the count is stale, or will be in `ms`. */
  #isStale(ms: number): boolean {
    return this.#options.clock.monotonic() > this.#staleAt - ms;
  }

  #underWay(by: string): number {
    const all = [this.#counted, this.#addedBefore, this.#added, this.#inFlight];
    return all.reduce((sum, runs) => sum + (runs.get(by) ?? 0), 0);
  }

  #surelyUnderWay(by: string): number {
    return this.#underWay(by) - (this.#maybeTwice.get(by) ?? 0);
  }

  /** The count in progress, which is begun where the last one is stale or will soon be. */
  #refresh(): Promise<void> | undefined {
    if (this.#counting === undefined && this.#isStale(aheadMs)) {
      this.#recounts = 0;
      this.#counting = this.#count();
    }
    return this.#counting;
  }

  async #count(): Promise<void> {
    const { count, clock } = this.#options;
    const begunAt = clock.monotonic();
    this.#addedBefore = sumOfCounts(this.#addedBefore, this.#added);
    this.#added = new Map();
    try {
      this.#counted = await count();
      this.#addedBefore = new Map();
      this.#maybeTwice = sumOfCounts(this.#added, this.#inFlight);
      this.#staleAt = clock.monotonic() + Math.max(freshMs, shareOfTime * (clock.monotonic() - begunAt));
    } finally {
      this.#counting = undefined;
    }
  }
}

function addTo(runs: Map<string, number>, by: string, more: number): void {
  const sum = (runs.get(by) ?? 0) + more;
  if (sum === 0) runs.delete(by);
  else runs.set(by, sum);
}

function sumOfCounts(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): Map<string, number> {
  const sum = new Map(one);
  for (const [by, runs] of other) addTo(sum, by, runs);
  return sum;
}
