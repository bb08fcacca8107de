/** Implements `Bus` of libs/runner over Postgres NOTIFY, for installations without Redis. */
import { EventEmitter } from 'node:events';

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
import type { Pool } from 'pg';

import { type ListenerOptions, Listener } from './listener.ts';
import { isRunId } from './runId.ts';

/** `own`: hints that drivers send about their own runs. */
const channels = { foreign: 'baton_run', own: 'baton_run_own' } as const;
/** NOTIFY takes less than 8,000 bytes; a hint has at most 49: a uuid, a colon, ten digits, a full stop, a comma. */
const hintsPerPayload = 160;

export interface NotifyBusOptions extends Omit<ListenerOptions, 'channel' | 'onPayload'> {
  readonly pool: Pool;
}

export class NotifyBus implements Bus, Channels {
  readonly #pool: Pool;
  readonly #listener: Listener;
  readonly #subscriptions = new HintListeners();
  readonly #outbox = new HintOutbox((hints) => this.#sendHints(hints));
  readonly #texts = new EventEmitter();
  #isClosed = false;

  /** Listens on a connection of its own; publishes on the pool's. Resolves when it listens. */
  static async open(options: NotifyBusOptions): Promise<NotifyBus> {
    const bus = new NotifyBus(options);
    await bus.#listener.open();
    return bus;
  }

  private constructor({ pool, ...options }: NotifyBusOptions) {
    this.#pool = pool;
    const onPayload = (payload: string, channel: string): void => {
      const isOwn = channel === channels.own;
      if (isOwn || channel === channels.foreign) this.#hear(payload, isOwn);
      else this.#texts.emit(channel, payload);
    };
    this.#listener = new Listener({ ...options, channel: channels.foreign, onPayload });
  }

  publish(hint: Hint, urgency: Urgency = 'now'): void {
    if (!this.#isClosed) this.#outbox.put(hint, urgency);
  }

  subscribe(subscriber: (hint: Hint) => void, scope: HintScope = 'all'): () => void {
    if (scope === 'all') this.#listener.addChannel(channels.own);
    return this.#subscriptions.add(subscriber, scope);
  }

  send(name: ChannelName, text: string): void {
    if (!this.#isClosed) this.#notify([channelOf(name)], [text]);
  }

  listen(name: ChannelName, listener: (text: string) => void): () => void {
    const channel = channelOf(name);
    this.#listener.addChannel(channel);
    this.#texts.on(channel, listener);
    return () => this.#texts.off(channel, listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#outbox.close();
    this.#subscriptions.clear();
    this.#texts.removeAllListeners();
    await this.#listener.close();
  }

  #sendHints(some: readonly Hint[]): void {
    const own = payloadsOf(some.filter(({ isOwn }) => isOwn === true));
    const foreign = payloadsOf(some.filter(({ isOwn }) => isOwn !== true));
    const to = [...own.map(() => channels.own), ...foreign.map(() => channels.foreign)];
    this.#notify(to, [...own, ...foreign]);
  }

  /**
   * What cannot be sent is lost; readers also poll Postgres. The commit does not wait for the disk: Postgres admits one
   * transaction at a time that notifies, until its commit has ended.
   */
  #notify(to: readonly string[], payloads: readonly string[]): void {
    const text = `
      select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
      from unnest($1::text[], $2::text[]) as w(channel, payload)`;
    this.#pool.query({ name: 'notify', text, values: [to, payloads] }).catch(() => undefined);
  }

  #hear(payload: string, isOwn: boolean): void {
    for (const item of payload.split(',')) {
      const [runId = '', position = ''] = item.split(':');
      const isLast = position.endsWith('.');
      const seq = Number(isLast ? position.slice(0, -1) : position);
      if (!isRunId(runId) || !(Number.isInteger(seq) && seq > 0)) continue;
      this.#subscriptions.notify({ runId, seq, ...(isLast && { isLast }), ...(isOwn && { isOwn }) });
    }
  }
}

function payloadsOf(some: readonly Hint[]): string[] {
  const hints = some.map(({ runId, seq, isLast }) => `${runId}:${seq}${isLast === true ? '.' : ''}`);
  const payloads: string[] = [];
  while (hints.length > 0) payloads.push(hints.splice(0, hintsPerPayload).join(','));
  return payloads;
}

const channelOf = (name: ChannelName): string => `baton_${name}`;
