/**
 * Subscriptions to resources, over sessions that come and go.
 *
 * One session holds all subscriptions of a server. When it ends, they are made again on another, as long as there are
 * subscribers. Each subscriber then learns that it may have missed changes.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { FailureError } from '@baton/engine';
import { backoffMs, unawaited } from '@baton/primitives';

import { listenPauses } from './listening.ts';
import type { Session } from './session.ts';

export interface ResourceUpdate {
  /** The subscribed resource, or one below it. */
  readonly uri: string;
  /** The connection had ended: updates may have been missed. */
  readonly isGap: boolean;
}

export interface Subscription {
  /** Ends the subscription. */
  close(): void;
}

export interface SubscriptionsOptions {
  /** A session that stays open until `release`. Rejects with `FailureError`. */
  readonly lease: (signal: AbortSignal) => Promise<{ readonly session: Session; readonly release: () => void }>;
  /** The interval of pings while the server is silent. */
  readonly pingEveryMs: number;
  readonly random: () => number;
}

interface WantedSubscription {
  readonly listeners: Set<(update: ResourceUpdate) => void>;
  readonly established: Promise<void>;
  /** The server has agreed to the subscription at least once. */
  isEstablished: boolean;
  settle(failure?: FailureError): void;
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #wanted = new Map<string, WantedSubscription>();
  readonly #closing = new AbortController();
  /** Aborted when the set of wanted subscriptions changes. */
  #change = new AbortController();
  #following: Promise<void> | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the server has agreed, however long the server is unreachable. Rejects with `FailureError` if the
   * server refuses.
   */
  async add(uri: string, onUpdated: (update: ResourceUpdate) => void): Promise<Subscription> {
    const wanted = this.#wanted.get(uri) ?? this.#want(uri);
    wanted.listeners.add(onUpdated);
    const close = (): void => {
      wanted.listeners.delete(onUpdated);
      if (wanted.listeners.size === 0 && this.#wanted.get(uri) === wanted) this.#drop(uri);
    };
    this.#start();
    await wanted.established;
    return { close };
  }

  /** The server says that this resource has changed. */
  updated(uri: string): void {
    for (const [wanted, { listeners }] of this.#wanted) {
      const isBelow = uri.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`);
      if (uri === wanted || isBelow) for (const listener of listeners) listener({ uri, isGap: false });
    }
  }

  async close(): Promise<void> {
    const closed = new FailureError('cancelled', 'The sessions are being closed.', { delivery: 'unsent' });
    for (const wanted of this.#wanted.values()) wanted.settle(closed);
    this.#wanted.clear();
    this.#closing.abort(closed);
    await this.#following;
  }

  #want(uri: string): WantedSubscription {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    const wanted: WantedSubscription = {
      listeners: new Set(),
      established: promise,
      isEstablished: false,
      settle: (failure) => (failure === undefined ? resolve() : reject(failure)),
    };
    this.#wanted.set(uri, wanted);
    this.#changed();
    return wanted;
  }

  #drop(uri: string): void {
    this.#wanted.delete(uri);
    this.#changed();
  }

  #changed(): void {
    this.#change.abort();
    this.#change = new AbortController();
  }

  #start(): void {
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined;
      // A subscriber was added while the last session was being released.
      if (this.#wanted.size > 0 && !this.#closing.signal.aborted) this.#start();
    });
  }

  /** Uses one session after another, until there are no subscribers. */
  async #follow(): Promise<void> {
    const { lease, random } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 0; this.#wanted.size > 0 && !signal.aborted; failures++) {
      try {
        const { session, release } = await lease(signal);
        try {
          assertOffered(session);
          if (await this.#over(session)) failures = 0;
        } finally {
          release();
        }
      } catch (error) {
        this.#failed(error);
      }
      if (this.#wanted.size === 0) return;
      await sleep(backoffMs(failures + 1, { ...listenPauses, random }), undefined, { signal, ref: false }).catch(
        () => {},
      );
    }
  }

  /** Resolves when the session ends or no subscription is left: true if an update arrived. */
  async #over(session: Session): Promise<boolean> {
    const { pingEveryMs } = this.#options;
    const held = new Map<string, AbortController>();
    const pinging = setInterval(() => unawaited(session.isAlive()), pingEveryMs).unref();
    try {
      while (!session.ended.aborted && this.#wanted.size > 0) {
        const { signal: change } = this.#change;
        this.#settle(session, held);
        await aborted(AbortSignal.any([change, session.ended, this.#closing.signal]));
        if (this.#closing.signal.aborted) return true;
      }
      return held.size > 0;
    } finally {
      clearInterval(pinging);
      for (const hold of held.values()) hold.abort();
    }
  }

  /** Makes the session's subscriptions those that are wanted: one by one, or in one stream, by its revision. */
  #settle(session: Session, held: Map<string, AbortController>): void {
    const uris = [...this.#wanted.keys()];
    const isTogether = !session.isLegacy;
    for (const [uri, hold] of held) {
      if (!isTogether && this.#wanted.has(uri)) continue;
      hold.abort();
      held.delete(uri);
    }
    if (isTogether) held.set('', this.#hold(session, uris));
    else for (const uri of uris) if (!held.has(uri)) held.set(uri, this.#hold(session, [uri]));
  }

  #hold(session: Session, uris: readonly string[]): AbortController {
    const hold = new AbortController();
    session
      .subscribe(uris, AbortSignal.any([hold.signal, session.ended]), () => uris.forEach((uri) => this.#agreed(uri)))
      .catch((error: unknown) => uris.forEach((uri) => this.#refused(uri, error)));
    return hold;
  }

  #agreed(uri: string): void {
    const wanted = this.#wanted.get(uri);
    if (wanted === undefined) return;
    if (wanted.isEstablished) for (const listener of wanted.listeners) listener({ uri, isGap: true });
    wanted.isEstablished = true;
    wanted.settle();
  }

  /** A subscription that the server refused is refused again; any other error ends the session or passes. */
  #refused(uri: string, error: unknown): void {
    if (!(error instanceof FailureError)) throw error;
    if (error.delivery !== 'rejected' && error.delivery !== 'answered') return;
    this.#wanted.get(uri)?.settle(error);
    this.#drop(uri);
  }

  #failed(error: unknown): void {
    if (!(error instanceof FailureError)) throw error;
    if (error.code !== 'server-rejected') return;
    for (const [uri, wanted] of this.#wanted) {
      wanted.settle(error);
      this.#wanted.delete(uri);
    }
  }
}

function assertOffered({ introduction: { capabilities }, isLegacy }: Session): void {
  const resources = capabilities['resources'] as { readonly subscribe?: unknown } | undefined;
  if (resources !== undefined && (resources.subscribe === true || !isLegacy)) return;
  throw new FailureError('server-rejected', 'The server does not report changes of its resources.', {
    delivery: 'rejected',
  });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
