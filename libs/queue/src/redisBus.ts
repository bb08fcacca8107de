/** The bus over Redis pub/sub. */
import type { Bus, Hint, Urgency } from '@baton/runner';
import { HintOutbox } from '@baton/runner';
import type { Redis } from 'ioredis';

import { isRunId } from './runId.ts';
import type { Troubles } from './trouble.ts';

export interface BusConnections {
  readonly publisher: Redis;
  /** Opened when the first listener comes. */
  readonly openSubscriber: () => Redis;
}

export class RedisBus implements Bus {
  readonly #connections: BusConnections;
  readonly #channel: string;
  readonly #troubles: Troubles;
  readonly #listeners = new Set<(hint: Hint) => void>();
  readonly #outbox = new HintOutbox((hints) => this.#send(hints));
  #subscriber: Redis | undefined;

  constructor(connections: BusConnections, channel: string, troubles: Troubles) {
    this.#connections = connections;
    this.#channel = channel;
    this.#troubles = troubles;
  }

  publish(hint: Hint, urgency: Urgency = 'now'): void {
    this.#outbox.put(hint, urgency);
  }

  subscribe(listener: (hint: Hint) => void): () => void {
    this.#subscriber ??= this.#open();
    // The same function may be given twice: each is its own subscription.
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  async close(): Promise<void> {
    this.#outbox.close();
    this.#listeners.clear();
    this.#subscriber?.disconnect();
  }

  #send(hints: readonly Hint[]): void {
    const list = hints.map(({ runId, seq, isLast }) => (isLast === true ? [runId, seq, 1] : [runId, seq]));
    this.#connections.publisher
      .publish(this.#channel, JSON.stringify(list))
      .catch((error: unknown) => this.#troubles.report('bus', error));
  }

  #open(): Redis {
    const subscriber = this.#connections.openSubscriber();
    subscriber.on('error', (error) => this.#troubles.report('connection', error));
    subscriber.on('message', (_channel, text) => this.#hear(text));
    subscriber.subscribe(this.#channel).catch((error: unknown) => this.#troubles.report('bus', error));
    return subscriber;
  }

  #hear(text: string): void {
    const hints = parseHints(text);
    if (hints === undefined) this.#troubles.report('bus', new Error('a message on the bus is no list of hints'));
    for (const hint of hints ?? []) for (const listener of this.#listeners) listener(hint);
  }
}

/** `[[run, seq], …]`, with a third that is 1 where it is the last; undefined for anything else. */
export function parseHints(text: string): Hint[] | undefined {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const hints: Hint[] = [];
  for (const entry of list) {
    if (!Array.isArray(entry)) return undefined;
    const [runId, seq, last]: unknown[] = entry;
    if (!isRunId(runId) || !Number.isSafeInteger(seq)) return undefined;
    hints.push({ runId, seq: Number(seq), ...(last === 1 ? { isLast: true } : {}) });
  }
  return hints;
}
