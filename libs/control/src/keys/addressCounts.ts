/**
 * Counts by address, within a minute: wrong keys, which decides only how refused requests are answered, since a valid key
 * is always served; and new OAuth clients. All addresses of an IPv6 /64 network count as one: a subscriber has such a one.
 */
import { ProblemError } from '@baton/api';
import { NewestMap } from '@baton/primitives';
import { networkOf } from '@baton/transports';

const windowMs = 60_000;
/** Remembered addresses; beyond this number the oldest is forgotten. */
const addressesMax = 10_000;

interface AddressCount {
  count: number;
  readonly until: number;
}

export class AddressCounts {
  readonly #counts = new NewestMap<string, AddressCount>(addressesMax);
  readonly #now: () => number;
  readonly #most: number;

  /** `now`: monotonic milliseconds. `most`: after so many an address waits. */
  constructor(now: () => number, most = 20) {
    this.#now = now;
    this.#most = most;
  }

  note(from: string): void {
    const address = networkOf(from);
    const known = this.#current(address);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.#counts.set(address, { count: 1, until: this.#now() + windowMs });
  }

  /** Undefined: the address need not wait. */
  refusal(address: string, detail: string): ProblemError | undefined {
    const known = this.#current(networkOf(address));
    if (known === undefined || known.count < this.#most) return undefined;
    const headers = { 'retry-after': String(Math.ceil((known.until - this.#now()) / 1_000)) };
    return new ProblemError('rate-limited', detail, { headers });
  }

  /** Notes the address. Throws `ProblemError` while it must wait. */
  admit(address: string, detail: string): void {
    const refusal = this.refusal(address, detail);
    if (refusal !== undefined) throw refusal;
    this.note(address);
  }

  #current(address: string): AddressCount | undefined {
    const known = this.#counts.get(address);
    if (known === undefined || known.until > this.#now()) return known;
    this.#counts.delete(address);
    return undefined;
  }
}
