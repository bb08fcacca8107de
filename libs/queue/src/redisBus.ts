/**
 * Implements the bus over Redis pub/sub: one channel for hints of drivers about their own runs, to which workers do not
 * subscribe, one for all others, and one for each `ChannelName`.
 */
import { EventEmitter } from 'node:events';

import { isUuid } from '@baton/primitives';
import {
  type Bus,
  type ChannelName,
  type Channels,
  type HintScope,
  type Hint,
  type Urgency,
  HintListeners,
  HintOutbox,
} from '@baton/runner';

import type { QueueTroubles } from './queueTrouble.ts';
import type { RedisConnection } from './redisConnection.ts';

export interface BusConnections {
  readonly publisher: RedisConnection;
  /** Called at the first subscription. */
  readonly openSubscriber: () => RedisConnection;
}

export class RedisBus implements Bus, Channels {
  readonly #connections: BusConnections;
  readonly #channel: string;
  readonly #troubles: QueueTroubles;
  readonly #subscriptions = new HintListeners();
  readonly #outbox = new HintOutbox((hints) => this.#send(hints));
  readonly #texts = new EventEmitter();
  #subscriber: RedisConnection | undefined;
  #scope: HintScope | undefined;

  constructor(connections: BusConnections, channel: string, troubles: QueueTroubles) {
    this.#connections = connections;
    this.#channel = channel;
    this.#troubles = troubles;
  }

  publish(hint: Hint, urgency: Urgency = 'now'): void {
    this.#outbox.put(hint, urgency);
  }

  subscribe(listener: (hint: Hint) => void, scope: HintScope = 'all'): () => void {
    this.#listen(scope);
    return this.#subscriptions.add(listener, scope);
  }

  send(name: ChannelName, text: string): void {
    this.#publish(`${this.#channel}:${name}`, text);
  }

  listen(name: ChannelName, listener: (text: string) => void): () => void {
    const channel = `${this.#channel}:${name}`;
    if (this.#texts.listenerCount(channel) === 0) this.#openChannels([channel]);
    this.#texts.on(channel, listener);
    return () => this.#texts.off(channel, listener);
  }

  async close(): Promise<void> {
    this.#outbox.close();
    this.#subscriptions.clear();
    this.#texts.removeAllListeners();
    this.#subscriber?.disconnect();
  }

  #send(hints: readonly Hint[]): void {
    const own = hints.filter(({ isOwn }) => isOwn === true);
    this.#put(this.#ownChannel, own);
    if (own.length < hints.length)
      this.#put(
        this.#channel,
        hints.filter(({ isOwn }) => isOwn !== true),
      );
  }

  #put(channel: string, hints: readonly Hint[]): void {
    if (hints.length === 0) return;
    const list = hints.map(({ runId, seq, isLast }) => (isLast === true ? [runId, seq, 1] : [runId, seq]));
    this.#publish(channel, JSON.stringify(list));
  }

  #publish(channel: string, text: string): void {
    this.#connections.publisher.publish(channel, text).catch((error: unknown) => this.#troubles.report('bus', error));
  }

  get #ownChannel(): string {
    return `${this.#channel}:own`;
  }

  /** A channel stays subscribed until the bus is closed. */
  #listen(scope: HintScope): void {
    if (this.#scope === 'all' || this.#scope === scope) return;
    const channels = [
      ...(this.#scope === undefined ? [this.#channel] : []),
      ...(scope === 'all' ? [this.#ownChannel] : []),
    ];
    this.#scope = scope;
    this.#openChannels(channels);
  }

  #openChannels(channels: readonly string[]): void {
    this.#subscriber ??= this.#open();
    this.#subscriber.subscribe(...channels).catch((error: unknown) => this.#troubles.report('bus', error));
  }

  #open(): RedisConnection {
    const subscriber = this.#connections.openSubscriber();
    subscriber.on('error', (error) => this.#troubles.report('connection', error));
    subscriber.on('message', (channel, text) => {
      const isOwn = channel === this.#ownChannel;
      if (isOwn || channel === this.#channel) this.#receive(text, isOwn);
      else this.#texts.emit(channel, text);
    });
    return subscriber;
  }

  #receive(text: string, isOwn: boolean): void {
    const hints = parseHints(text);
    if (hints === undefined) this.#troubles.report('bus', new Error('a message on the bus is no list of hints'));
    for (const hint of hints ?? []) this.#subscriptions.notify(isOwn ? { ...hint, isOwn } : hint);
  }
}

/** Parses `[[run, seq], …]`; a third element 1 marks a last hint. Undefined for any other text. */
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
    if (!isUuid(runId) || !Number.isSafeInteger(seq)) return undefined;
    hints.push({ runId, seq: Number(seq), ...(last === 1 ? { isLast: true } : {}) });
  }
  return hints;
}
