/**
 * The connection on which BullMQ gets notifications. BullMQ listens for its errors a moment after it is open, and no
 * longer while it closes: if Postgres ended it in one of these moments, the process would end too.
 */
import type { EventEmitter } from 'node:events';

import type { PostgresConnection } from 'bullmq';

type ClientClass = new (config?: object) => EventEmitter;

/** Makes the connection open its client for notifications as a `Client` whose loss ends no process. */
export function listenSafely(connection: PostgresConnection, Client: ClientClass): void {
  Object.defineProperty(connection, 'pgModule', { value: { Client: withKeptLoss(Client) } });
}

function withKeptLoss(Client: ClientClass): ClientClass {
  return class extends Client {
    /** The loss of the connection, if it came before BullMQ listened. */
    #loss: Error | undefined;

    constructor(config?: object) {
      super(config);
      this.#keepLoss();
      // BullMQ opens another connection when it hears of the loss.
      this.on('newListener', (event: string, listener: (error: Error) => void) => {
        if (event === 'error' && this.#loss !== undefined) process.nextTick(listener, this.#loss);
      });
    }

    override removeAllListeners(event?: string | symbol): this {
      // Without an event it removes all; with `undefined` it would remove none.
      if (event === undefined) super.removeAllListeners();
      else super.removeAllListeners(event);
      this.#keepLoss();
      return this;
    }

    #keepLoss(): void {
      this.on('error', (error: Error) => {
        if (this.listenerCount('error') === 1) this.#loss = error;
      });
    }
  };
}
