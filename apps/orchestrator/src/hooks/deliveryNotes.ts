/**
 * Records the outcome of webhook requests, in the background. Anyone can send requests that are refused: it records one
 * of those per second for each hook and reason, and none for unknown hooks.
 */
import { NewestMap } from '@baton/primitives';
import { type Clock, UnavailableError } from '@baton/runner';
import { type Store, noteHookDelivery } from '@baton/store';

export interface HookName {
  readonly workflow: string;
  readonly hook: string;
}

type NotedDelivery = Parameters<typeof noteHookDelivery>[2];

const refusedEveryMs = 1_000;
const rememberedMax = 1_000;

export class DeliveryNotes {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #refusedAt = new NewestMap<string, number>(rememberedMax);

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns at once. A bug rejects outside the request, and ends the process. */
  note(name: HookName, delivery: NotedDelivery): void {
    if (delivery.outcome === 'refused' && !this.#isTime(name, delivery.reason)) return;
    void noteHookDelivery(this.#store, name, delivery).catch((error: unknown) => {
      // A failed note must not fail the delivery.
      if (!(error instanceof UnavailableError)) throw error;
    });
  }

  #isTime({ workflow, hook }: HookName, reason = ''): boolean {
    const key = `${workflow}/${hook} ${reason}`;
    const now = this.#clock.monotonic();
    if (now - (this.#refusedAt.get(key) ?? -Infinity) < refusedEveryMs) return false;
    this.#refusedAt.set(key, now);
    return true;
  }
}
