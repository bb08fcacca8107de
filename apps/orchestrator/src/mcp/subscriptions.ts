/**
 * Runs that MCP clients subscribe to: `resources/subscribe` before 2026-07-28, `subscriptions/listen` from then on.
 * They learn only that a run changed, and read it themselves.
 */
import { ProblemError } from '@baton/api';
import { control, type Principal, type RunWatches } from '@baton/control';
import { isObject } from '@baton/primitives';
import { type Clock, UnavailableError } from '@baton/runner';
import { type Server, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import { runIdOf, uriOf } from './runUris.ts';
import type { WorkflowCallOptions } from './workflowCall.ts';

/** The shortest interval between two notifications of one run. */
const everyMs = 100;
/** Runs that one client may subscribe to. */
const subscriptionsMax = 100;

type ResourceListener = (runId: string) => void;

interface RunSubscription {
  /** The position up to which all subscribers were notified. */
  seq: number;
  readonly tells: ResourceListener[];
  cancelTimer: (() => void) | undefined;
  readonly unwatch: () => void;
}

export interface RunSubscriptionsOptions {
  readonly watches: RunWatches;
  readonly clock: Clock;
  /** Reads positions of journals. Rejects with `UnavailableError`. */
  readonly positions: (runIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

export class RunSubscriptions {
  readonly #options: RunSubscriptionsOptions;
  readonly #subscribed = new Map<string, RunSubscription>();

  constructor(options: RunSubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Calls `tell` for growth after position `seq`, until the returned function is called; subscribing twice notifies
   * once.
   */
  subscribe(runId: string, seq: number, tell: ResourceListener): () => void {
    const subscribed = this.#subscribed.get(runId) ?? this.#begin(runId, seq);
    subscribed.tells.push(tell);
    return () => {
      const at = subscribed.tells.indexOf(tell);
      if (at >= 0) subscribed.tells.splice(at, 1);
      if (subscribed.tells.length > 0 || this.#subscribed.get(runId) !== subscribed) return;
      this.#subscribed.delete(runId);
      subscribed.unwatch();
      subscribed.cancelTimer?.();
    };
  }

  #begin(runId: string, seq: number): RunSubscription {
    const { watches, clock } = this.#options;
    const unwatch = watches.watch(runId, seq, () => {
      subscribed.cancelTimer ??= clock.after(everyMs, () => {
        subscribed.cancelTimer = undefined;
        // Watches retry later.
        void this.#look(runId, subscribed).catch(ifAway);
      });
    });
    const subscribed: RunSubscription = { seq, tells: [], cancelTimer: undefined, unwatch };
    this.#subscribed.set(runId, subscribed);
    return subscribed;
  }

  async #look(runId: string, subscribed: RunSubscription): Promise<void> {
    const seq = (await this.#options.positions([runId])).get(runId) ?? 0;
    if (seq <= subscribed.seq) return;
    subscribed.seq = seq;
    for (const tell of new Set(subscribed.tells)) tell(runId);
  }
}

function ifAway(error: unknown): void {
  if (!(error instanceof UnavailableError)) throw error;
}

export interface SubscriptionOptions extends WorkflowCallOptions {
  readonly subscriptions: RunSubscriptions;
}

/** For a client with a session, until the session ends. */
export function serveSubscriptions(server: Server, options: SubscriptionOptions, principal: Principal): void {
  const { subscriptions } = options;
  const held = new Map<string, () => void>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const position = await positionOf(options, principal, runIdOf(uri));
    if (position === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such run.', { uri });
    if (held.has(uri)) return {};
    if (held.size >= subscriptionsMax)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `A session has ${subscriptionsMax} subscriptions at most.`,
      );
    const tell = (): void => {
      server.sendResourceUpdated({ uri }).catch(() => undefined);
    };
    held.set(uri, subscriptions.subscribe(runIdOf(uri), position, tell));
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    held.get(uri)?.();
    held.delete(uri);
    return {};
  });
  const onclose = (): void => {
    for (const undo of held.values()) undo();
    held.clear();
  };
  Object.assign(server, { onclose });
}

/** The last position of a run's journal; undefined if the key may not see the run. Rejects with `UnavailableError`. */
export async function positionOf(
  options: WorkflowCallOptions,
  principal: Principal,
  runId: string,
): Promise<number | undefined> {
  try {
    return (await control.listRunEvents(options, principal, { id: runId })).length;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

export const isListening = (body: unknown): boolean => isObject(body) && body['method'] === 'subscriptions/listen';

/** The runs in a `subscriptions/listen` request. */
export function subscribedRunIds(body: unknown): readonly string[] {
  const filter = isListening(body) ? filterIn(body) : undefined;
  const uris = filter?.['resourceSubscriptions'];
  const runIds = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string').map(runIdOf) : [];
  return [...new Set(runIds)].filter((id) => id !== '').slice(0, subscriptionsMax);
}

/** The same request with only these runs: what is acknowledged is what will be notified. */
export function withOnlyRuns(body: unknown, runIds: readonly string[]): unknown {
  const filter = filterIn(body);
  if (!isObject(body) || !isObject(body['params']) || filter?.['resourceSubscriptions'] === undefined) return body;
  const notifications = { ...filter, resourceSubscriptions: runIds.map(uriOf) };
  return { ...body, params: { ...body['params'], notifications } };
}

function filterIn(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const params = isObject(body) ? body['params'] : undefined;
  const filter = isObject(params) ? params['notifications'] : undefined;
  return isObject(filter) ? filter : undefined;
}
