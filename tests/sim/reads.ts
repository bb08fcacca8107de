/** What a worker reads of the database, each with its own rate of failures. */
import { FailureError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';

import type { Machine } from './machine.ts';
import type { Rates } from './rates.ts';
import type { Safeguard } from './safeguards.ts';

/** What rejects a drive that does not take up a read that failed. */
export class AbandonedDriveError extends Error {
  override readonly name = 'AbandonedDriveError';
}

/** How long a read takes at most. */
const slowMs = 3_000;

export type FailingRead = Extract<keyof Rates, `${string}ReadFails`>;

export class Reads {
  readonly #machine: Machine;
  readonly #rates: () => Rates;
  readonly #off: ReadonlySet<Safeguard>;

  constructor(machine: Machine, around: { readonly rates: () => Rates; readonly off: ReadonlySet<Safeguard> }) {
    this.#machine = machine;
    this.#rates = around.rates;
    this.#off = around.off;
  }

  /** Asks the database, which fails by the rate of this name. */
  async ask<T>(name: FailingRead, work: () => T | Promise<T>): Promise<T> {
    const { clock, random } = this.#machine;
    if (name === 'valueReadFails' && random.chance(this.#rates().valueReadSlow))
      await new Promise<void>((resolve) => clock.after(random.int(500, slowMs), resolve));
    return this.#machine.ask(() => {
      if (this.#machine.random.chance(this.#rates()[name])) throw this.#failure(name);
      return work();
    });
  }

  #failure(name: FailingRead): Error {
    const message = 'the database is overloaded';
    if (this.#off.has('failedReads') && name === 'valueReadFails') return new AbandonedDriveError(message);
    if (this.#off.has('unsentCalls') && name === 'secretReadFails')
      return new FailureError('server-error', message, { delivery: 'unknown' });
    return new UnavailableError(message);
  }
}
