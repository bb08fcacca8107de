/** One configured server: calls over its sessions, its catalogue, and its state. */
import { FailureError } from '@baton/engine';
import { type JsonObject, unawaited } from '@baton/primitives';
import {
  readCatalogue,
  type Catalogue,
  type Lookups,
  type ServerConfig,
  type ServerStatus,
  type Tool,
} from '@baton/protocol';
import { callTimeout, type CallContext, isWithoutLogin, type SessionUse, unavailableIn } from '@baton/runner';

import { CachedCatalogue } from '../catalogue/cachedCatalogue.ts';
import { isMethodUnknown } from '../failure/rpcFailure.ts';
import { withSentHeaders } from '../failure/sentHeaders.ts';
import { shutDown } from '../failure/shutDown.ts';
import type { Grant, LogoutResult } from '../oauth/grant.ts';
import type { Login } from '../oauth/login.ts';
import { noRun } from '../pool/lending.ts';
import type { Pool } from '../pool/pool.ts';
import { SessionPools } from '../pool/sessionPools.ts';
import { complete, type Completion, type CompletionRequest } from '../session/completion.ts';
import { Credentials, type Credential } from '../session/credentials.ts';
import { sessionLimits, type SessionLimits } from '../session/limits.ts';
import type { RequestOptions } from '../session/requestOptions.ts';
import type { Session } from '../session/session.ts';
import { SessionOpener, type SharedResources } from '../session/sessionOpener.ts';
import { Subscriptions } from '../session/subscriptions.ts';
import { settleTask } from '../session/taskCall.ts';
import { mayBeForgotten, verdictOf } from './forgotten.ts';

export interface ServedResult {
  readonly result: unknown;
  readonly session: SessionUse;
}

export interface RequestExtras {
  /** Over HTTP only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The server runs the call as a task, in revisions where the client must ask for that. */
  readonly isTask?: boolean;
}

type StreamRequest = Pick<RequestOptions, 'method' | 'params' | 'idleMs' | 'signal'> &
  Required<Pick<RequestOptions, 'onStreamNews'>>;

interface Leased {
  readonly pool: Pool;
  readonly session: Session;
  readonly release: () => void;
}

export interface ServerUse {
  /** Whose login its sessions use; undefined: that of the installation. */
  readonly login: Login | undefined;
  readonly onCatalogueChanged: (server: string) => void;
}

/** Time limit of a request for a list. */
const listMs = 30_000;

const leastPingMs = 1_000;

export class Server {
  readonly config: ServerConfig;
  readonly subscriptions: Subscriptions;
  readonly #limits: SessionLimits;
  readonly #surroundings: SharedResources;
  readonly #credentials: Credentials;
  readonly #opener: SessionOpener;
  readonly #pools: SessionPools;
  readonly #catalogue: CachedCatalogue;
  readonly #closing = new AbortController();
  readonly #login: Login | undefined;
  /** The last one that was used, where each call needs one. */
  #token: string | undefined;

  constructor(
    config: ServerConfig,
    lookups: Lookups,
    surroundings: SharedResources,
    overrides: Partial<SessionLimits>,
    { login, onCatalogueChanged }: ServerUse,
  ) {
    this.config = config;
    this.#login = login;
    this.#limits = sessionLimits(config, overrides);
    this.#surroundings = surroundings;
    this.#credentials = new Credentials(config, lookups, this.#limits.secretsMs, surroundings.known);
    const heard = {
      onListChanged: () => {
        this.#catalogue.forget();
        onCatalogueChanged(config.name);
      },
      onResourceUpdated: (uri: string) => this.subscriptions.updated(uri),
    };
    this.#opener = new SessionOpener(config, this.#limits, surroundings, { heard, login });
    this.#pools = new SessionPools({
      policy: config.policy,
      limits: this.#limits,
      closing: this.#closing.signal,
      open: (credential, signal, replaced) => this.#open(credential, signal, replaced),
      // The previous secrets may have caused the failures.
      onNewCredential: () => this.#opener.breaker.forgive(),
    });
    this.#catalogue = new CachedCatalogue({
      read: () => this.#readCatalogue(),
      maxAgeMs: this.#limits.catalogueMs,
      onChanged: () => onCatalogueChanged(config.name),
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
    { headers = {}, isTask = false }: RequestExtras = {},
  ): Promise<ServedResult> {
    const { callIdleMs, callTotalMs } = isTimed(context.timeout) ? callTimeout(context.timeout) : this.#limits;
    const { runId, signal, beginSend, onProgress } = context;
    const deadline = performance.now() + callTotalMs;
    return this.#withSession(runId, signal, deadline, async (session, waitedMs) => {
      context.onSession?.(session.id, this.#login !== undefined);
      await context.awaitTurn?.();
      const all = isTask && session.isLegacy ? { ...params, task: { ttl: Math.ceil(callTotalMs) } } : params;
      const limits = { idleMs: callIdleMs, deadline };
      const ask = { runId, method, params: all, meta, headers, signal, beginSend, ...limits, onProgress };
      const result = await settleTask(await this.#ask(session, ask), ask, {
        ask: (next) => this.#ask(session, next),
        answer: (method, params) => session.answer(method, params, ask),
        ended: session.ended,
      });
      return { result, session: { session: session.id, waitedMs } };
    });
  }

  /** A request that stays open: it occupies no place for calls. Resolves when the server ends it. Rejects with `FailureError`. */
  async stream(ask: StreamRequest, { awaitTurn }: Pick<CallContext, 'awaitTurn'>): Promise<void> {
    const { pool, session, release } = await this.#lease(ask.signal);
    try {
      await awaitTurn?.();
      await session.stream({ ...ask, deadline: performance.now() + listMs });
    } catch (error) {
      throw this.#failed(pool, session, error);
    } finally {
      release();
    }
  }

  /** The tool as last read; undefined before the first read, or if there is no such tool. */
  toolNamed(name: string): Tool | undefined {
    return this.#catalogue.toolNamed(name);
  }

  /** The tools as last read, however long ago; undefined before the first reading. */
  get listed(): readonly Tool[] | undefined {
    return this.#catalogue.listed;
  }

  /** Cached until the server reports a change or the list is too old, or older than `maxAgeMs`. 0: reads it now. */
  catalogue(maxAgeMs?: number): Promise<Catalogue> {
    return this.#catalogue.get(maxAgeMs);
  }

  /** Rejects with `FailureError`. */
  complete(request: CompletionRequest): Promise<Completion> {
    const { signal } = this.#closing;
    const deadline = performance.now() + this.#limits.openMs + listMs;
    return this.#withSession(noRun, signal, deadline, (session) =>
      complete(request, session.introduction, (method, params) =>
        this.#ask(session, { method, params, signal, idleMs: listMs, deadline }),
      ),
    );
  }

  /** Whether a person may log in to it. Rejects with `FailureError` if its configuration cannot be resolved. */
  async takesLogins(): Promise<boolean> {
    return (await this.#grant()) !== undefined;
  }

  /** False where its login surely is there, since its token was good for the last call, and where it takes no calls. */
  get mayLackLogin(): boolean {
    return hasOwnLogins(this.config) && !this.config.disabled && this.#token === undefined;
  }

  /** False where that cannot be told, because the call says why. Rejects with `UnavailableError`. */
  async lacksLogin(): Promise<boolean> {
    if (!hasOwnLogins(this.config)) return false;
    try {
      return (await (await this.#grant())?.isLoggedOut()) === true;
    } catch (error) {
      const unread = unavailableIn(error);
      if (unread !== undefined) throw unread;
      if (error instanceof FailureError) return false;
      throw error;
    }
  }

  /** The OAuth grant of the server. Rejects with `FailureError` if the server takes no log-in. */
  async grant(login = this.#login): Promise<Grant> {
    const grant = await this.#grant(login);
    if (grant !== undefined) return grant;
    const message = `The server "${this.config.name}" takes no log-in: it is a process, or its token is configured.`;
    throw new FailureError('server-rejected', message, { delivery: 'unsent' });
  }

  async #grant(login = this.#login): Promise<Grant | undefined> {
    const { config } = this.#credentials.current() ?? (await this.#credentials.lookUp());
    return this.#grantIn(config, login);
  }

  #grantIn(config: ServerConfig, login: Login | undefined): Grant | undefined {
    const { grants } = this.#surroundings;
    return config.type === 'stdio' || config.type === 'builtin' ? undefined : grants.of(config, login);
  }

  /** Rejects with `FailureError`, also where people have their own logins and this one is not there. */
  async #credential(): Promise<Credential> {
    const credential = this.#credentials.current() ?? (await this.#credentials.lookUp());
    if (!hasOwnLogins(this.config)) return credential;
    const token = await this.#loggedIn(credential.config);
    // The login before may have caused the failures.
    if (token !== this.#token) this.#opener.breaker.forgive();
    this.#token = token;
    return credential;
  }

  /** Rejects with `FailureError`; the login is then looked for anew before each call. */
  async #loggedIn(config: ServerConfig): Promise<string | undefined> {
    try {
      return await this.#grantIn(config, this.#login)?.loggedIn();
    } catch (error) {
      // Where it cannot be read, the next call asks again: the login may have ended until then.
      if (unavailableIn(error) !== undefined) throw error;
      const had = this.#token;
      this.#token = undefined;
      if (had === undefined || !(error instanceof FailureError) || !isWithoutLogin(error)) throw error;
      // The login has ended since the call lined up: without these details the call lines up again, and waits.
      throw new FailureError(error.code, error.message, { delivery: 'unsent', cause: error });
    }
  }

  /** Deletes the login; sessions get no further calls. Rejects with `FailureError`. */
  async logout(): Promise<LogoutResult> {
    const grant = await this.grant();
    const loggedOut = await grant.logout();
    this.#pools.retireAll();
    this.#catalogue.forget();
    return loggedOut;
  }

  /** Reads the catalogue now, even if the breaker is open after failures. */
  async test(): Promise<Catalogue> {
    this.#opener.breaker.forgive();
    return this.catalogue(0);
  }

  status(): ServerStatus {
    const pools = this.#pools.all;
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
      // A getter: redacting costs time, and callers that only count sessions do not read it.
      get stderr() {
        return sessions.findLast(({ report }) => (report.stderr ?? '') !== '')?.report.stderr;
      },
    };
  }

  /** A run has ended: its sessions end with their last call. */
  release(runId: string): void {
    this.#pools.retireRun(runId);
  }

  /** The server's configuration was replaced: its sessions end with their last calls. */
  retire(): void {
    this.#pools.retireAll();
  }

  async close(): Promise<void> {
    this.#closing.abort(shutDown());
    await this.subscriptions.close();
    await this.#pools.close();
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
      const credential = await this.#credential();
      const pool = this.#pools.for(credential, runId);
      let session = pool.take(runId);
      if (session === undefined) {
        const from = performance.now();
        session = await pool.wait(runId, signal, deadline);
        waitedMs += performance.now() - from;
        this.#surroundings.measures.waited(this.config.name, waitedMs);
      }
      try {
        return await use(session, waitedMs);
      } catch (error) {
        const failure = this.#failed(pool, session, error);
        if (failure.delivery === 'unknown') pool.leave(session, runId);
        const isUnmade = endedUnsent(failure) || (await isForgotten(pool, session, failure));
        if (isRetry || !isUnmade) throw failure;
      } finally {
        pool.give(session, runId);
      }
    }
  }

  async #ask(session: Session, ask: RequestOptions): Promise<unknown> {
    const begun = performance.now();
    const { measures } = this.#surroundings;
    try {
      if (session.inFlight === 1 && begun - session.idleSince > this.#limits.sleepMs) await pingOrFail(session);
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

  async #lease(signal: AbortSignal): Promise<Leased> {
    const credential = await this.#credential();
    const pool = this.#pools.for(credential, noRun);
    const session =
      pool.take(noRun) ?? (await pool.wait(noRun, signal, performance.now() + this.#limits.openMs + listMs));
    session.leases += 1;
    pool.give(session, noRun);
    const release = (): void => {
      session.leases -= 1;
    };
    return { pool, session, release };
  }

  /** Rejects with `FailureError`, and with the signal's reason. */
  async #open(credential: Credential, signal: AbortSignal, replaced: Session | undefined): Promise<Session> {
    try {
      return await this.#opener.open(credential, signal, replaced);
    } catch (error) {
      if (error instanceof FailureError && error.code === 'server-unauthorized') this.#unauthorized();
      throw error;
    }
  }

  #unauthorized(): void {
    this.#credentials.forget();
    this.#token = undefined;
  }

  #answered(session: Session): void {
    session.answers += 1;
    this.#opener.breaker.answered();
  }

  #failed(pool: Pool, session: Session, error: unknown): FailureError {
    if (!(error instanceof FailureError)) throw error;
    const { code, delivery } = error;
    if (delivery === 'answered' || delivery === 'rejected') this.#answered(session);
    if (code === 'server-unauthorized') this.#unauthorized();
    // Other calls in flight on the session notice by themselves.
    if (code === 'session-lost' || code === 'server-unauthorized') pool.retire(session);
    else if (code === 'timeout' || code === 'connection-lost' || code === 'server-unreachable')
      unawaited(session.suspect());
    return withSentHeaders(error, this.config);
  }

  #readCatalogue(): Promise<Catalogue> {
    const { signal } = this.#closing;
    const deadline = performance.now() + this.#limits.openMs + listMs;
    const reading = this.#withSession('', signal, deadline, (session) =>
      readCatalogue(session.introduction, {
        request: (method, params) =>
          this.#ask(session, { method, params, signal, idleMs: listMs, deadline }).catch(undefinedIfUnknown),
        withEvents: this.#surroundings.withEvents,
        now: () => performance.now(),
      }),
    );
    // The session belongs to no run, so only this reading needs it.
    return reading.finally(() => this.release(''));
  }
}

/** Whether calls use the login of the person behind their run. */
export const hasOwnLogins = ({ policy: { auth } }: Pick<ServerConfig, 'policy'>): boolean =>
  auth?.grant === 'code' && auth.per === 'person';

/** A server may not know a method that it declared. */
function undefinedIfUnknown(error: unknown): undefined {
  if (!isMethodUnknown(error)) throw error;
}

const isTimed = ({ idleMs, totalMs }: CallContext['timeout']): boolean => idleMs !== undefined || totalMs !== undefined;

/** Whether the session ended before the call was sent: the call did not run. */
const endedUnsent = ({ code, delivery }: FailureError): boolean =>
  code === 'session-lost' || (code === 'connection-lost' && delivery === 'unsent');

/**
 * After a refusal, asks whether the server still knows the session; if not, the session gets no further call. True: the
 * call did not run.
 */
async function isForgotten(pool: Pool, session: Session, failure: FailureError): Promise<boolean> {
  if (session.state === 'closed' || !session.hasState || !mayBeForgotten(failure)) return false;
  const refusal = await session.ping();
  const verdict = refusal === undefined ? 'kept' : verdictOf(failure, refusal);
  if (verdict !== 'kept') pool.retire(session);
  return verdict === 'unmade';
}

/** Pings first after a long idle time: a call on a dead session would be lost. */
async function pingOrFail(session: Session): Promise<void> {
  if (await session.isAlive()) return;
  throw new FailureError('session-lost', 'The server did not answer any more.', { delivery: 'unsent' });
}
