/** The requests in flight of one link over HTTP, and how far each of them got. */
import { defined } from '@baton/primitives';

import type { DeliveryAccount, LinkReport } from '../link/link.ts';
import { PostDelivery } from './postDelivery.ts';

export class PostDeliveries implements DeliveryAccount {
  readonly peer: string;
  /** What the link waits for before it can send messages. */
  awaits: string | undefined;
  /** Where messages are posted, if the server named the address. */
  endpoint: string | undefined;
  readonly #deliveries = new Map<number, PostDelivery>();

  /** `peer`: the server's name and address, for messages. */
  constructor(peer: string) {
    this.peer = peer;
  }

  /** Begins to track a request. */
  open(id: number): PostDelivery {
    const delivery = new PostDelivery();
    this.#deliveries.set(id, delivery);
    return delivery;
  }

  of(id: number): PostDelivery | undefined {
    return this.#deliveries.get(id);
  }

  /** Ends the tracking. Undefined if no caller waits for the request. */
  settle(id: number): PostDelivery | undefined {
    const delivery = this.#deliveries.get(id);
    this.#deliveries.delete(id);
    return delivery;
  }

  mayHaveArrived(id: number): boolean {
    return this.#deliveries.get(id)?.isSent ?? true;
  }

  forget(id: number): void {
    this.settle(id)?.abort.abort();
  }

  /** Ends all requests that are still open. */
  close(): void {
    for (const { abort } of this.#deliveries.values()) abort.abort();
  }

  report(): LinkReport {
    const { peer, awaits, endpoint } = this;
    return {
      peer,
      ...defined({ awaits, endpoint }),
    };
  }
}
