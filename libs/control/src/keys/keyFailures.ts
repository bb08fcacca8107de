/**
 * Counts wrong keys by address. The count decides only how refused requests are answered; a valid key is always served.
 */
import { NewestMap } from '@baton/primitives';

const most = 20;
const windowMs = 60_000;
/** Remembered addresses; beyond this number the oldest is forgotten. */
const addressesMax = 10_000;

interface FailureCount {
  failures: number;
  readonly until: number;
}

export class KeyFailures {
  readonly #counts = new NewestMap<string, FailureCount>(addressesMax);
  readonly #now: () => number;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  note(address: string): void {
    const known = this.#current(address);
    if (known !== undefined) {
      known.failures += 1;
      return;
    }
    this.#counts.set(address, { failures: 1, until: this.#now() + windowMs });
  }

  /** Milliseconds that the address must wait; 0: none. */
  waitMs(address: string): number {
    const known = this.#current(address);
    return known === undefined || known.failures < most ? 0 : known.until - this.#now();
  }

  #current(address: string): FailureCount | undefined {
    const known = this.#counts.get(address);
    if (known === undefined || known.until > this.#now()) return known;
    this.#counts.delete(address);
    return undefined;
  }
}
