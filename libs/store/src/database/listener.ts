/** A connection that only listens to NOTIFY, and reconnects when it is lost. */
import { Socket } from 'node:net';

import { backoffMs } from '@baton/primitives';

import { GuardedClient } from './guardedClient.ts';

export interface ListenerOptions {
  readonly url: string;
  readonly channel: string;
  readonly onPayload: (payload: string, channel: string) => void;
  /** Called when the connection is lost, and each time a reconnect fails. */
  readonly onTrouble?: (error: Error) => void;
  /** How often the connection is tested, and how long the answer may take. A dead one is noticed after their sum. */
  readonly keepAliveMs?: number;
  readonly answerMs?: number;
}

const pauses = { firstMs: 100, longestMs: 5_000 };

export class Listener {
  readonly #options: Required<ListenerOptions>;
  readonly #channels: Set<string>;
  #current: { readonly client: GuardedClient; readonly socket: Socket } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(options: ListenerOptions) {
    this.#options = { keepAliveMs: 3_000, answerMs: 4_000, onTrouble: () => undefined, ...options };
    this.#channels = new Set([options.channel]);
  }

  /** Resolves when it listens. Rejects where the database is unreachable. A connection lost later is made again. */
  async open(): Promise<void> {
    // A socket of its own, which can be destroyed when the server stops answering.
    const socket = new Socket();
    const client = new GuardedClient({
      connectionString: this.#options.url,
      application_name: `baton listening on ${this.#options.channel}`,
      connectionTimeoutMillis: this.#options.answerMs,
      query_timeout: this.#options.answerMs,
      stream: () => socket,
    });
    const current = { client, socket };
    client.on('notification', ({ payload = '', channel }) => this.#options.onPayload(payload, channel));
    client.on('error', (error) => this.#onLost(current, error));
    client.on('end', () => this.#onLost(current, new Error('the connection has ended')));
    try {
      await client.connect();
      for (const channel of this.#channels) await client.query(`listen ${channel}`);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#current = current;
    this.#failures = 0;
    this.#keepAlive();
  }

  /** Listens to a further channel from now on. */
  addChannel(channel: string): void {
    if (this.#channels.has(channel)) return;
    this.#channels.add(channel);
    const current = this.#current;
    current?.client.query(`listen ${channel}`).catch((error: Error) => this.#onLost(current, error));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#current?.socket.destroy();
    this.#current = undefined;
  }

  #keepAlive(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#timer = setTimeout(() => {
      current.client.query('select 1').then(
        () => this.#keepAlive(),
        (error: Error) => this.#onLost(current, error),
      );
    }, this.#options.keepAliveMs);
  }

  #onLost(current: { readonly socket: Socket }, error: Error): void {
    current.socket.destroy();
    if (this.#isClosed || this.#current !== current) return;
    this.#current = undefined;
    clearTimeout(this.#timer);
    this.#options.onTrouble(error);
    this.#reconnect();
  }

  #reconnect(): void {
    this.#failures += 1;
    this.#timer = setTimeout(
      () => {
        this.open().catch((error: Error) => {
          if (this.#isClosed) return;
          this.#options.onTrouble(error);
          this.#reconnect();
        });
      },
      backoffMs(this.#failures, pauses),
    );
  }
}
