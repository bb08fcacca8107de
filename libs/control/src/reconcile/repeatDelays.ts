/**
 * Delays repetitions: after each action for an item, waits twice as long before the next, so that a slow queue is not
 * filled with duplicate bells.
 */
interface RepeatDelay {
  readonly until: number;
  readonly ms: number;
}

export interface RepeatDelayLimits {
  readonly first: number;
  readonly most: number;
}

export class RepeatDelays {
  readonly #limits: RepeatDelayLimits;
  readonly #waiting = new Map<string, RepeatDelay>();
  /** Items of the pages before. */
  #seen = new Set<string>();

  constructor(limits: RepeatDelayLimits) {
    this.#limits = limits;
  }

  /**
   * The items of a page that are due. After the last page it forgets items that were in none of the pages: these must have
   * all items that still need the action.
   */
  due(page: readonly string[], now: number, isLast = true): string[] {
    const { first, most } = this.#limits;
    const due: string[] = [];
    for (const id of new Set(page)) {
      this.#seen.add(id);
      const known = this.#waiting.get(id);
      if (known !== undefined && known.until > now) continue;
      const ms = known === undefined ? first : Math.min(known.ms * 2, most);
      this.#waiting.set(id, { until: now + ms, ms });
      due.push(id);
    }
    if (!isLast) return due;
    for (const id of this.#waiting.keys()) if (!this.#seen.has(id)) this.#waiting.delete(id);
    this.#seen = new Set();
    return due;
  }
}
