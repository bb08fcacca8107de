/** One configured server: calls over its sessions, its catalogue, and its state. */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import { readCatalogue } from '@baton/protocol';
import type { Catalogue, Lookups, ServerConfig, ServerStatus, Tool } from '@baton/protocol';
import { callTimeout } from '@baton/runner';
import type { CallContext, SessionUse } from '@baton/runner';

import { FirstHints } from '../catalogue/firstHints.ts';
import { isMethodUnknown } from '../failure/rpcFailure.ts';
import { shutDown } from '../failure/shutDown.ts';
import { sayingWhatWasSent } from '../failure/whatWasSent.ts';
import type { Grant, LoggedOut } from '../oauth/grant.ts';
import { sessionLimits } from '../pool/limits.ts';
import type { SessionLimits } from '../pool/limits.ts';
import { Pool } from '../pool/pool.ts';
import { complete } from '../session/completion.ts';
import type { Completion, CompletionAsked } from '../session/completion.ts';
import type { RequestOptions } from '../session/requestOptions.ts';
import type { Session } from '../session/session.ts';
import { SessionOpener } from '../session/sessionOpener.ts';
import type { SharedResources } from '../session/sessionOpener.ts';
import { Subscriptions } from '../session/subscriptions.ts';
import { settleTask } from '../session/taskCall.ts';
import { Credentials } from './credentials.ts';
import type { Credential } from './credentials.ts';

export interface ServedResult {
  readonly result: unknown;
  readonly session: SessionUse;
}

export interface RequestMore {
  /** Over HTTP only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** To be done in the background, where the revision knows no other way for it. */
  readonly isTask?: boolean;
}

/** Nothing that a server lists takes longer than this to say. */
const listMs = 30_000;

/** Stands for a run id: the session that listens for resources, where sessions are not shared. */
const noRun = 'no run';
const leastPingMs = 1_000;

const digestsOf = (tools: readonly Tool[]): string =>
  tools.map(({ name, digests: { contract, text } }) => `${name} ${contract} ${text}`).join('\n');

export class Server {
  readonly config: ServerConfig;
  readonly subscriptions: Subscriptions;
  readonly #limits: SessionLimits;
  readonly #surroundings: SharedResources;
  readonly #credentials: Credentials;
  readonly #opener: SessionOpener;
  readonly #pools = new Map<string, Pool>();
  readonly #closing = new AbortController();
  #sweeper: NodeJS.Timeout | undefined;
  #catalogue: Promise<Catalogue> | undefined;
  #staleAt = Number.POSITIVE_INFINITY;
  #tools: ReadonlyMap<string, Tool> = new Map();
  /** What they were made of. */
  #listed: readonly Tool[] = [];
  readonly #hints = new FirstHints();
  readonly #onCatalogueChanged: (server: string) => void;
  /** Of the credential that was used last. */
  #digest: string | undefined;

  constructor(
    config: ServerConfig,
    lookups: Lookups,
    surroundings: SharedResources,
    overrides: Partial<SessionLimits>,
    onCatalogueChanged: (server: string) => void,
  ) {
    this.config = config;
    this.#onCatalogueChanged = onCatalogueChanged;
    this.#limits = sessionLimits(config, overrides);
    this.#surroundings = surroundings;
    this.#credentials = new Credentials(config, lookups, this.#limits.secretsMs, surroundings.known);
    this.#opener = new SessionOpener(config, this.#limits, surroundings, {
      onListChanged: () => {
        this.#catalogue = undefined;
        onCatalogueChanged(config.name);
      },
      onResourceUpdated: (uri) => this.subscriptions.updated(uri),
    });
    this.subscriptions = new Subscriptions({
      lease: (signal) => this.#lease(signal),
      pingEveryMs: Math.max(this.#limits.sleepMs, leastPingMs),
      random: surroundings.random,
    });
  }

  /** The raw result of one request. Rejects with `FailureError`. */
  request(
    method: string,
    params: JsonObject,
    meta: JsonObject,
    context: CallContext,
    { headers = {}, isTask = false }: RequestMore = {},
  ): Promise<ServedResult> {
    const { callIdleMs, callTotalMs } = isTimed(context.timeout) ? callTimeout(context.timeout) : this.#limits;
    const { runId, signal, mayBegin, onProgress } = context;
    const deadline = performance.now() + callTotalMs;
    return this.#withSession(runId, signal, deadline, async (session, waitedMs) => {
      context.onSession?.(session.id);
      const all = isTask && session.isLegacy ? { ...params, task: { ttl: Math.ceil(callTotalMs) } } : params;
      const limits = { idleMs: callIdleMs, deadline };
      const ask = { runId, method, params: all, meta, headers, signal, mayBegin, ...limits, onProgress };
      const result = await settleTask(await this.#ask(session, ask), ask, {
        ask: (next) => this.#ask(session, next),
        answer: (asked, about) => session.answer(asked, about, ask),
        ended: session.ended,
      });
      return { result, session: { session: session.id, waitedMs } };
    });
  }

  /** As it was read last; undefined where it was not. */
  toolNamed(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Read once, and again after the server said that it changed, or where it is to be read anew. */
  async catalogue(isAnew = false): Promise<Catalogue> {
    if (isAnew || performance.now() >= this.#staleAt) this.#catalogue = undefined;
    if (this.#catalogue === undefined) {
      const reading = this.#readCatalogue();
      this.#catalogue = reading;
      reading.catch(() => {
        if (this.#catalogue === reading) this.#catalogue = undefined;
      });
    }
    const catalogue = await this.#catalogue;
    if (catalogue.tools !== this.#listed) this.#take(catalogue.tools);
    this.#staleAt = Math.min(catalogue.staleAt, catalogue.readAt + this.#limits.catalogueMs);
    return catalogue;
  }

  /** Rejects with `FailureError`. */
  complete(asked: CompletionAsked): Promise<Completion> {
    const { signal } = this.#closing;
    const deadline = performance.now() + this.#limits.openMs + listMs;
    return this.#withSession(noRun, signal, deadline, (session) =>
      complete(asked, session.introduction, (method, params) =>
        this.#ask(session, { method, params, signal, idleMs: listMs, deadline }),
      ),
    );
  }

  /** Whether a person may log in to it. Rejects with `FailureError` where its configuration cannot be resolved. */
  async takesLogins(): Promise<boolean> {
    return (await this.#grant()) !== undefined;
  }

  /**
   * The right to use it, which is not in its configuration. Rejects with `FailureError` where there is no such thing.
   */
  async grant(): Promise<Grant> {
    const grant = await this.#grant();
    if (grant !== undefined) return grant;
    const message = `The server "${this.config.name}" takes no log-in: it is a process, or its token is configured.`;
    throw new FailureError('server-rejected', message, { delivery: 'unsent' });
  }

  async #grant(): Promise<Grant | undefined> {
    const { config } = this.#credentials.current() ?? (await this.#credentials.lookUp());
    return config.type === 'stdio' ? undefined : this.#surroundings.grants.of(config);
  }

  /** Its sessions get no further calls, and are closed when they have none. Rejects with `FailureError`. */
  async logout(): Promise<LoggedOut> {
    const grant = await this.grant();
    const loggedOut = await grant.logout();
    for (const pool of this.#pools.values()) pool.retireAll();
    this.#catalogue = undefined;
    return loggedOut;
  }

  /** A server that says nothing of a change is found out when its list is read again. */
  #take(tools: readonly Tool[]): void {
    const before = this.#listed;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#listed = tools;
    if (before.length > 0 && digestsOf(before) !== digestsOf(tools)) this.#onCatalogueChanged(this.config.name);
  }

  /** Reads the catalogue anew, even where the server is being left alone after failures. */
  async test(): Promise<Catalogue> {
    this.#opener.breaker.forgive();
    return this.catalogue(true);
  }

  status(): ServerStatus {
    const pools = [...this.#pools.values()];
    const sessions = pools.flatMap((pool) => pool.sessions);
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    const opening = sum(pools.map((pool) => pool.opening));
    const { introduction, breaker, lastError } = this.#opener;
    return {
      name: this.config.name,
      type: this.config.type,
      state: this.#stateOf(sessions.length, opening),
      sessions: {
        open: sessions.length,
        busy: sessions.filter(({ inFlight, state }) => inFlight > 0 && state !== 'suspect').length,
        suspect: sessions.filter(({ state }) => state === 'suspect').length,
        opening,
        inFlight: sum(sessions.map(({ inFlight }) => inFlight)),
      },
      waiting: sum(pools.map((pool) => pool.waiting)),
      protocolVersion: introduction?.protocolVersion,
      era: introduction?.prior.kind,
      server: introduction?.server,
      breaker: breaker.state,
      lastError,
      // Cleaned when it is looked at: what only counts sessions does not pay for it.
      get stderr() {
        return sessions.findLast(({ report }) => (report.stderr ?? '') !== '')?.report.stderr;
      },
    };
  }

  /** A run has ended: its own sessions end with their last call. */
  release(runId: string): void {
    if (this.config.policy.scope !== 'run') return;
    for (const [key, pool] of this.#pools) if (key.endsWith(`/${runId}`)) pool.retireAll();
  }

  /** Its configuration is no longer the one that is used: its sessions end with their last calls. */
  retire(): void {
    for (const pool of this.#pools.values()) pool.retireAll();
  }

  async close(): Promise<void> {
    this.#closing.abort(shutDown());
    clearInterval(this.#sweeper);
    await this.subscriptions.close();
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
    await this.#opener.closed();
  }

  #stateOf(open: number, opening: number): ServerStatus['state'] {
    if (this.config.disabled) return 'disabled';
    const { kind, failures } = this.#opener.breaker.state;
    if (kind === 'open') return 'resting';
    if (open > 0) return 'ready';
    if (opening > 0) return 'opening';
    return failures > 0 ? 'failing' : 'idle';
  }

  /** A call that provably did not run is made once more, on another session. */
  async #withSession<T>(
    runId: string,
    signal: AbortSignal,
    deadline: number,
    use: (session: Session, waitedMs: number) => Promise<T>,
  ): Promise<T> {
    let waitedMs = 0;
    for (let isRetry = false; ; isRetry = true) {
      const credential = this.#credentials.current() ?? (await this.#credentials.lookUp());
      const pool = this.#poolFor(credential, runId);
      let session = pool.take();
      if (session === undefined) {
        const from = performance.now();
        session = await pool.wait(signal, deadline);
        waitedMs += performance.now() - from;
        this.#surroundings.measures.waited(this.config.name, waitedMs);
      }
      try {
        return await use(session, waitedMs);
      } catch (error) {
        const failure = this.#failed(pool, session, error);
        if (isRetry || !isUntouched(failure)) throw failure;
      } finally {
        pool.give(session);
      }
    }
  }

  async #ask(session: Session, ask: RequestOptions): Promise<unknown> {
    const begun = performance.now();
    const { measures } = this.#surroundings;
    try {
      if (session.inFlight === 1 && begun - session.idleSince > this.#limits.sleepMs) await wake(session);
      const result = await session.request(ask);
      this.#answered(session);
      measures.called(this.config.name, ask.method, 'ok', performance.now() - begun);
      return result;
    } catch (error) {
      if (error instanceof FailureError) {
        measures.called(this.config.name, ask.method, error.code, performance.now() - begun);
      }
      throw error;
    }
  }

  async #lease(signal: AbortSignal): Promise<{ readonly session: Session; readonly release: () => void }> {
    const credential = this.#credentials.current() ?? (await this.#credentials.lookUp());
    const pool = this.#poolFor(credential, noRun);
    const session = pool.take() ?? (await pool.wait(signal, performance.now() + this.#limits.openMs + listMs));
    session.leases += 1;
    pool.give(session);
    const release = (): void => {
      session.leases -= 1;
    };
    return { session, release };
  }

  #poolFor(credential: Credential, runId: string): Pool {
    const { scope } = this.config.policy;
    const isOwned = scope === 'run' || (scope === 'call' && runId === noRun);
    const key = isOwned ? `${credential.digest}/${runId}` : credential.digest;
    return this.#pools.get(key) ?? this.#addPool(key, credential, isOwned);
  }

  #addPool(key: string, credential: Credential, isOwned: boolean): Pool {
    this.#closing.signal.throwIfAborted();
    const { scope } = this.config.policy;
    // Sessions that were opened with what the secrets were before.
    for (const [other, pool] of this.#pools) if (!other.startsWith(credential.digest)) pool.retireAll();
    // It may have been them that it did not like.
    if (this.#digest !== undefined && this.#digest !== credential.digest) this.#opener.breaker.forgive();
    this.#digest = credential.digest;
    const pool = new Pool({
      limits: this.#limits,
      sessionsMax: isOwned ? 1 : this.#limits.sessions,
      isSingleUse: scope === 'call' && !isOwned,
      renews: scope === 'shared',
      open: (signal, replaced) => this.#open(credential, signal, replaced),
    });
    this.#pools.set(key, pool);
    const everyMs = Math.min(Math.max(this.#limits.idleMs / 4, 20), 30_000);
    this.#sweeper ??= setInterval(() => this.#sweep(), everyMs).unref();
    return pool;
  }

  /** Rejects with `FailureError`, and with the signal's reason. */
  async #open(credential: Credential, signal: AbortSignal, replaced: Session | undefined): Promise<Session> {
    try {
      return await this.#opener.open(credential, signal, replaced);
    } catch (error) {
      if (error instanceof FailureError && error.code === 'server-unauthorized') this.#credentials.forget();
      throw error;
    }
  }

  #sweep(): void {
    const now = performance.now();
    for (const [key, pool] of this.#pools) {
      pool.sweep(now);
      if (pool.isEmpty) this.#pools.delete(key);
    }
    if (this.#pools.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #answered(session: Session): void {
    session.answers += 1;
    this.#opener.breaker.answered();
  }

  #failed(pool: Pool, session: Session, error: unknown): FailureError {
    if (!(error instanceof FailureError)) throw error;
    const { code, delivery } = error;
    if (delivery === 'answered' || delivery === 'rejected') this.#answered(session);
    if (code === 'server-unauthorized') this.#credentials.forget();
    // Others that are in flight on it find out by themselves.
    if (code === 'session-lost' || code === 'server-unauthorized') pool.retire(session);
    else if (code === 'timeout' || code === 'connection-lost' || code === 'server-unreachable') void session.suspect();
    return sayingWhatWasSent(error, this.config);
  }

  async #readCatalogue(): Promise<Catalogue> {
    const { signal } = this.#closing;
    const deadline = performance.now() + this.#limits.openMs + listMs;
    const reading = this.#withSession('', signal, deadline, (session) =>
      readCatalogue(session.introduction, {
        request: (method, params) =>
          this.#ask(session, { method, params, signal, idleMs: listMs, deadline }).catch(undefinedIfUnknown),
        now: () => performance.now(),
      }),
    );
    // Where sessions belong to runs, this one belongs to none.
    const catalogue = await reading.finally(() => this.release(''));
    return { ...catalogue, tools: this.#hints.heldTo(catalogue.tools) };
  }
}

/** A server may not know a method that it said it would. */
function undefinedIfUnknown(error: unknown): undefined {
  if (!isMethodUnknown(error)) throw error;
}

const isTimed = ({ idleMs, totalMs }: CallContext['timeout']): boolean => idleMs !== undefined || totalMs !== undefined;

/** The session was no more when the call came to it: it certainly did not run. */
const isUntouched = ({ code, delivery }: FailureError): boolean =>
  code === 'session-lost' || (code === 'connection-lost' && delivery === 'unsent');

/** Pings first after a long idle time: a call on a dead session would be lost. */
async function wake(session: Session): Promise<void> {
  if (await session.isAlive()) return;
  throw new FailureError('session-lost', 'The server did not answer any more.', { delivery: 'unsent' });
}
