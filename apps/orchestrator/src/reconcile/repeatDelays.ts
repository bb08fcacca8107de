/**
 * Remembers for whom something was done lately, and lets them be for a while: twice as long each time. A queue that is
 * merely behind is not filled with bells that are in it already.
 */
interface RepeatDelay {
  readonly until: number;
  readonly ms: number;
}

export interface PatienceLimits {
  readonly first: number;
  readonly most: number;
}

export class RepeatDelays {
  readonly #limits: PatienceLimits;
  #waiting = new Map<string, RepeatDelay>();

  constructor(limits: PatienceLimits) {
    this.#limits = limits;
  }

  /** Those of `all` whose turn it is. Who is not among `all` any more is forgotten: call it with everybody in need. */
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
