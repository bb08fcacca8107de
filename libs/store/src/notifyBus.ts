/** The bus over Postgres NOTIFY: `Bus` of libs/runner. For installations without Redis. */
import type { Bus, Hint } from '@baton/runner';
import type { Pool } from 'pg';

import type { ListenerOptions } from './listener.ts';
import { Listener } from './listener.ts';
import { isRunId } from './runId.ts';

const channel = 'baton_run';
/** NOTIFY takes less than 8,000 bytes; a hint is a uuid, a colon, up to ten digits and a comma. */
const hintsPerPayload = 160;
/** When hints come thick and fast, they leave together this often. The first one leaves at once. */
const intervalMs = 10;

export interface NotifyBusOptions extends Omit<ListenerOptions, 'channel' | 'onPayload'> {
  readonly pool: Pool;
}

export class NotifyBus implements Bus {
  readonly #pool: Pool;
  readonly #listener: Listener;
  readonly #subscribers = new Set<(hint: Hint) => void>();
  /** The furthest position of each run that is to be told. */
  #waiting = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
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

  publish({ runId, seq }: Hint): void {
    if (this.#isClosed) return;
    this.#waiting.set(runId, Math.max(seq, this.#waiting.get(runId) ?? 0));
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#onTimer(), intervalMs);
    queueMicrotask(() => this.#send());
  }

  subscribe(subscriber: (hint: Hint) => void): () => void {
    // The same function may be given twice: each is its own subscription.
    const own = (hint: Hint): void => subscriber(hint);
    this.#subscribers.add(own);
    return () => void this.#subscribers.delete(own);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#subscribers.clear();
    await this.#listener.close();
  }

  #onTimer(): void {
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => this.#onTimer(), intervalMs);
    this.#send();
  }

  /** A hint that does not get through is lost: whoever needs it looks into Postgres anyway. */
  #send(): void {
    const hints = [...this.#waiting].map(([runId, seq]) => `${runId}:${seq}`);
    this.#waiting = new Map();
    const payloads: string[] = [];
    while (hints.length > 0) payloads.push(hints.splice(0, hintsPerPayload).join(','));
    if (payloads.length === 0) return;
    const text = 'select pg_notify($1, payload) from unnest($2::text[]) as payload';
    this.#pool.query({ name: 'notify', text, values: [channel, payloads] }).catch(() => undefined);
  }

  #hear(payload: string): void {
    for (const item of payload.split(',')) {
      const [runId = '', seq] = item.split(':');
      const hint = { runId, seq: Number(seq) };
      if (!isRunId(runId) || !(Number.isInteger(hint.seq) && hint.seq > 0)) continue;
      for (const subscriber of this.#subscribers) subscriber(hint);
    }
  }
}
