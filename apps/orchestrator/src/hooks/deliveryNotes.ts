/**
 * Writes down what came of requests to webhooks, beside answering them. Anybody can send a request that is refused: of
 * those one a second is written down for each hook, and none for a hook that is not there.
 */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { noteHookDelivery } from '@baton/store';

export interface HookName {
  readonly workflow: string;
  readonly hook: string;
}

type Delivery = Parameters<typeof noteHookDelivery>[2];

const refusedEveryMs = 1_000;
const rememberedMost = 1_000;

export class DeliveryNotes {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #refusedAt = new Map<string, number>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A bug rejects outside of the request, and ends the process. */
  note(name: HookName, delivery: Delivery): void {
    if (delivery.outcome === 'refused' && !this.#isTime(name)) return;
    void noteHookDelivery(this.#store, name, delivery).catch((error: unknown) => {
      // What is only told of later is not worth a failed delivery.
      if (!(error instanceof UnavailableError)) throw error;
    });
  }

  #isTime({ workflow, hook }: HookName): boolean {
    const key = `${workflow}/${hook}`;
    const now = this.#clock.monotonic();
    if (now - (this.#refusedAt.get(key) ?? -Infinity) < refusedEveryMs) return false;
    const [oldest] = this.#refusedAt.keys();
    if (this.#refusedAt.size >= rememberedMost && oldest !== undefined) this.#refusedAt.delete(oldest);
    this.#refusedAt.set(key, now);
    return true;
  }
}
