/**
 * Reads what was used. Callers that ask while a read is under way share the next one: its sums have all that was on record
 * when they asked, and many runs that begin together cost one read.
 */
import { type Store, type Usage, type BudgetSpan, readUsage } from '@baton/store';

export class UsageReads {
  readonly #store: Pick<Store, 'pool'>;
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<Usage>>();

  constructor(store: Pick<Store, 'pool'>) {
    this.#store = store;
  }

  /** Rejects with `UnavailableError`. */
  read(pattern: string, span: BudgetSpan): Promise<Usage> {
    const key = `${span.first} ${span.end} ${pattern}`;
    const before = this.#underWay.get(key);
    if (before === undefined) return this.#begin(key, pattern, span);
    const waiting = this.#waiting.get(key) ?? before.then(() => this.#begin(key, pattern, span));
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #begin(key: string, pattern: string, span: BudgetSpan): Promise<Usage> {
    this.#waiting.delete(key);
    const read = readUsage(this.#store, pattern, span);
    const ended = Promise.allSettled([read]).then(() => {
      if (this.#underWay.get(key) === ended) this.#underWay.delete(key);
    });
    this.#underWay.set(key, ended);
    return read;
  }
}
