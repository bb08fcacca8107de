/** The bus over Redis pub/sub. Hints of one turn of the event loop go out together, the newest of each run. */
import type { Bus, Hint } from '@baton/runner';
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
  #pending = new Map<string, number>();
  #subscriber: Redis | undefined;

  constructor(connections: BusConnections, channel: string, troubles: Troubles) {
    this.#connections = connections;
    this.#channel = channel;
    this.#troubles = troubles;
  }

  publish({ runId, seq }: Hint): void {
    if (this.#pending.size === 0) setImmediate(() => this.#flush());
    this.#pending.set(runId, Math.max(seq, this.#pending.get(runId) ?? 0));
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
    this.#listeners.clear();
    this.#subscriber?.disconnect();
  }

  #flush(): void {
    const hints = [...this.#pending];
    this.#pending = new Map();
    this.#connections.publisher
      .publish(this.#channel, JSON.stringify(hints))
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

/** `[[run, seq], …]`; undefined for anything else. */
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
    const [runId, seq]: unknown[] = entry;
    if (!isRunId(runId) || !Number.isSafeInteger(seq)) return undefined;
    hints.push({ runId, seq: Number(seq) });
  }
  return hints;
}
