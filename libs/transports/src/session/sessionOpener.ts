/**
 * Opens sessions with one server: within its limits, one after the other. It pauses when the server does not answer,
 * remembers what it learned about the server, and waits for sessions that are closing.
 */
import { FailureError } from '@baton/engine';
import { defined, durationText, Semaphore } from '@baton/primitives';
import type { LastError, ServerConfig } from '@baton/protocol';
import { type KnownSecrets, unavailableIn } from '@baton/runner';

import { withSentHeaders } from '../failure/sentHeaders.ts';
import type { Connector } from '../link/link.ts';
import type { Grants } from '../oauth/grants.ts';
import type { Login } from '../oauth/login.ts';
import { Breaker } from './breaker.ts';
import type { Credential } from './credentials.ts';
import type { Handlers } from './handlers.ts';
import type { ServerIntroduction } from './introduction.ts';
import type { SessionLimits } from './limits.ts';
import { openSession } from './openSession.ts';
import type { ServerMetricsPort } from './serverMetricsPort.ts';
import type { ServerNotices } from './serverRequestHandler.ts';
import type { Session } from './session.ts';

/** Resources that all servers of a process share. */
export interface SharedResources {
  readonly client: { readonly name: string; readonly version: string };
  readonly handlers: Handlers;
  /** Folder of the configuration file. */
  readonly root: string;
  /** Whether servers are asked for events (SEP-3415). */
  readonly withEvents: boolean;
  readonly measures: ServerMetricsPort;
  /** Limits how many processes start at once. */
  readonly starts: Semaphore;
  readonly random: () => number;
  /** The time of day, epoch milliseconds. */
  readonly now: () => number;
  readonly grants: Grants;
  /** Secrets to remove from messages of servers. */
  readonly known: KnownSecrets;
  readonly connectorFor: (resolved: ServerConfig, shown: ServerConfig, login: Login | undefined) => Promise<Connector>;
}

interface OpenerParts {
  readonly heard: ServerNotices;
  /** Whose login its sessions use; undefined: that of the installation. */
  readonly login: Login | undefined;
}

export class SessionOpener {
  readonly breaker: Breaker;
  lastError: LastError | undefined;
  /** The introduction in the last session that opened. */
  introduction: ServerIntroduction | undefined;
  readonly #config: ServerConfig;
  readonly #limits: SessionLimits;
  readonly #surroundings: SharedResources;
  readonly #heard: ServerNotices;
  readonly #login: Login | undefined;
  readonly #permits: Semaphore;
  readonly #permitOf = new Map<Session, () => void>();
  readonly #closings = new Set<Promise<void>>();
  /** What the next session need not find out again; undefined after a failure. */
  #prior: ServerIntroduction | undefined;
  #count = 0;

  constructor(
    config: ServerConfig,
    limits: SessionLimits,
    surroundings: SharedResources,
    { heard, login }: OpenerParts,
  ) {
    this.#config = config;
    this.#limits = limits;
    this.#surroundings = surroundings;
    this.#heard = heard;
    this.#login = login;
    this.#permits = new Semaphore(limits.sessions);
    this.breaker = new Breaker({ failures: 5, firstMs: 500, longestMs: 30_000, random: surroundings.random });
  }

  /** Rejects with `FailureError`, delivery `unsent`, and with the signal's reason. */
  async open(credential: Credential, signal: AbortSignal, replaced: Session | undefined): Promise<Session> {
    const inherited = replaced === undefined ? undefined : this.#permitOf.get(replaced);
    const permit = inherited ?? (await this.#permits.take(signal));
    try {
      this.#assertMayTry();
      const session = await this.#try(credential, signal);
      if (replaced !== undefined && inherited !== undefined) this.#permitOf.delete(replaced);
      if (session.state === 'closed') permit();
      else this.#permitOf.set(session, permit);
      return session;
    } catch (error) {
      if (inherited === undefined) permit();
      throw error;
    }
  }

  /** Resolves when no session is closing any more. */
  async closed(): Promise<void> {
    while (this.#closings.size > 0) await Promise.all(this.#closings);
  }

  #assertMayTry(): void {
    const waitMs = this.breaker.tryAfterMs(performance.now());
    if (waitMs <= 0) return;
    const { code, message = 'It does not answer.', details } = this.lastError ?? {};
    throw new FailureError(
      code === 'server-unauthorized' ? code : 'server-unreachable',
      `${message} (The server "${this.#config.name}" failed repeatedly and is not tried for ${durationText(waitMs)}.)`,
      { delivery: 'unsent', retryAfterMs: Math.ceil(waitMs), ...defined({ details }) },
    );
  }

  async #try(credential: Credential, signal: AbortSignal): Promise<Session> {
    const { starts, connectorFor, measures, known } = this.#surroundings;
    const { name } = this.#config;
    const begun = performance.now();
    const started = this.#config.type === 'stdio' ? await starts.take(signal) : undefined;
    try {
      const connector = await connectorFor(credential.config, this.#config, this.#login);
      const opening = {
        ...this.#surroundings,
        ...this.#limits,
        server: name,
        id: `${name}${this.#login === undefined ? '' : `/${this.#login.key.slice(0, 6)}`}#${++this.#count}`,
        connector,
        policy: this.#config.policy,
        prior: this.#prior,
        heard: this.#heard,
        onClosed: (closed: Session, failure: FailureError, gone: Promise<void>) =>
          this.#onClosed(closed, failure, gone),
        onClosing: (gone: Promise<void>) => this.#track(gone),
      };
      signal.throwIfAborted();
      const session = await openSession(opening, signal);
      this.#prior = session.introduction;
      this.introduction = session.introduction;
      this.breaker.opened();
      measures.opened(name, 'ok', performance.now() - begun);
      return session;
    } catch (error) {
      if (!(error instanceof FailureError) || signal.aborted) throw error;
      const failure = withSentHeaders(known.redactor.failure(error), this.#config);
      // Baton could not read the token: that says nothing of the server.
      if (unavailableIn(error) !== undefined) throw failure;
      this.#prior = undefined;
      this.#failed(failure);
      measures.opened(name, failure.code, performance.now() - begun);
      throw failure;
    } finally {
      started?.();
    }
  }

  #failed(error: FailureError): void {
    this.breaker.failed(performance.now());
    this.#note(error);
  }

  #note({ failure: { code, message, details } }: FailureError): void {
    this.lastError = { code, message, at: this.#surroundings.now(), details };
  }

  #onClosed(session: Session, failure: FailureError, gone: Promise<void>): void {
    this.#track(gone);
    this.#permitOf.get(session)?.();
    this.#permitOf.delete(session);
    this.#surroundings.measures.closed(this.#config.name);
    if (session.report.exit === undefined) return;
    // A process that ended before it answered any call counts like one that did not start.
    if (session.answers === 0 && session.calls > 0) this.#failed(failure);
    else this.#note(failure);
  }

  #track(gone: Promise<void>): void {
    const tracked = gone.finally(() => this.#closings.delete(tracked));
    this.#closings.add(tracked);
  }
}
