/** The bus over Postgres NOTIFY: `Bus` of libs/runner. For installations without Redis. */
import type { Bus, Hint, Urgency } from '@baton/runner';
import { HintOutbox } from '@baton/runner';
import type { Pool } from 'pg';

import type { ListenerOptions } from './listener.ts';
import { Listener } from './listener.ts';
import { isRunId } from './runId.ts';

const channel = 'baton_run';
/** NOTIFY takes less than 8,000 bytes; a hint is a uuid, a colon, up to ten digits, a full stop where it is the last, and a comma. */
const hintsPerPayload = 160;

export interface NotifyBusOptions extends Omit<ListenerOptions, 'channel' | 'onPayload'> {
  readonly pool: Pool;
}

export class NotifyBus implements Bus {
  readonly #pool: Pool;
  readonly #listener: Listener;
  readonly #subscribers = new Set<(hint: Hint) => void>();
  readonly #outbox = new HintOutbox((hints) => this.#send(hints));
  #isClosed = false;

  /** Listens on a connection of its own; publishes on the pool's. Resolves when it hears. */
  static async open(options: NotifyBusOptions): Promise<NotifyBus> {
    const bus = new NotifyBus(options);
    await bus.#listener.open();
    return bus;
  }

  private constructor({ pool, ...options }: NotifyBusOptions) {
    this.#pool = pool;
    this.#listener = new Listener({ ...options, channel, onPayload: (payload) => this.#hear(payload) });
  }

  publish(hint: Hint, urgency: Urgency = 'now'): void {
    if (!this.#isClosed) this.#outbox.put(hint, urgency);
  }

  subscribe(subscriber: (hint: Hint) => void): () => void {
    // The same function may be given twice: each is its own subscription.
    const own = (hint: Hint): void => subscriber(hint);
    this.#subscribers.add(own);
    return () => void this.#subscribers.delete(own);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#outbox.close();
    this.#subscribers.clear();
    await this.#listener.close();
  }

  /** A hint that does not get through is lost: whoever needs it looks into Postgres anyway. */
  #send(some: readonly Hint[]): void {
    const hints = some.map(({ runId, seq, isLast }) => `${runId}:${seq}${isLast === true ? '.' : ''}`);
    const payloads: string[] = [];
    while (hints.length > 0) payloads.push(hints.splice(0, hintsPerPayload).join(','));
    const text = 'select pg_notify($1, payload) from unnest($2::text[]) as payload';
    this.#pool.query({ name: 'notify', text, values: [channel, payloads] }).catch(() => undefined);
  }

  #hear(payload: string): void {
    for (const item of payload.split(',')) {
      const [runId = '', position = ''] = item.split(':');
      const isLast = position.endsWith('.');
      const hint = { runId, seq: Number(isLast ? position.slice(0, -1) : position), ...(isLast && { isLast }) };
      if (!isRunId(runId) || !(Number.isInteger(hint.seq) && hint.seq > 0)) continue;
      for (const subscriber of this.#subscribers) subscriber(hint);
    }
  }
}
