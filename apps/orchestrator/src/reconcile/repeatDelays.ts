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
  #waiting = new Map<string, RepeatDelay>();

  constructor(limits: RepeatDelayLimits) {
    this.#limits = limits;
  }

  /**
   * The items of `all` that are due. It forgets items that are not in `all`: pass all items that still need the action.
   */
  due(all: readonly string[], now: number): string[] {
    const { first, most } = this.#limits;
    const next = new Map<string, RepeatDelay>();
    const due: string[] = [];
    for (const id of all) {
      const known = this.#waiting.get(id);
      if (next.has(id)) continue;
      if (known !== undefined && known.until > now) {
        next.set(id, known);
        continue;
      }
      const ms = known === undefined ? first : Math.min(known.ms * 2, most);
      next.set(id, { until: now + ms, ms });
      due.push(id);
    }
    this.#waiting = next;
    return due;
  }
}
