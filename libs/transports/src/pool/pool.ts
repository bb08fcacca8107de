/**
 * Sessions that are alike: the same server, the same credential, and the same run where sessions belong to runs.
 *
 * A call gets the least busy session that is open and has room, at once. Otherwise it waits in a line, and the line is
 * fair: no call passes it. The first session is opened when a call waits for it; further ones when the head of
 * the line has waited too long; one at a time, so that a server that is slow to start is not started many times.
 */
import { FailureError } from '@baton/engine';
import { unawaited } from '@baton/primitives';
import { cancelled } from '@baton/runner';

import { shutDown } from '../failure/shutDown.ts';
import type { SessionLimits } from '../session/limits.ts';
import type { Session } from '../session/session.ts';
import { Lending } from './lending.ts';

export interface PoolOptions {
  readonly limits: SessionLimits;
  /** Sessions at once in this pool. */
  readonly sessionsMax: number;
  /** Each session serves one call and is then closed. */
  readonly isSingleUse: boolean;
  /** The server may ask a person or a model: a session serves one run at a time. */
  readonly isAsking: boolean;
  /** Old sessions are replaced. False if they hold the state of a run. */
  readonly renews: boolean;
  /** `replaced`: the session whose place it takes. Rejects with `FailureError`. */
  readonly open: (signal: AbortSignal, replaced: Session | undefined) => Promise<Session>;
}

interface SessionWaiter {
  readonly runId: string;
  readonly since: number;
  readonly serve: (session: Session) => void;
  readonly refuse: (failure: unknown) => void;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #lending: Lending;
  readonly #sessions = new Set<Session>();
  /** Sessions that get no further calls, and are closed when their last call has ended. */
  readonly #retired = new Set<Session>();
  readonly #waiters = new Set<SessionWaiter>();
  readonly #closing = new AbortController();
  readonly #openings = new Set<Promise<void>>();
  #growTimer: NodeJS.Timeout | undefined;
  #growNotBefore = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#lending = new Lending(options.isAsking);
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions, ...this.#retired];
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  get opening(): number {
    return this.#openings.size;
  }

  get isEmpty(): boolean {
    return this.#sessions.size + this.#retired.size + this.#waiters.size + this.opening === 0;
  }

  /** A session for one call, if one is free now. Return it with `give`. */
  take(runId: string): Session | undefined {
    if (this.#waiters.size > 0 && this.#lending.standsInLine(runId)) return undefined;
    const session = this.#leastBusy(runId);
    if (session !== undefined) this.#handOut(session, runId);
    return session;
  }

  /** A session for one call, as soon as one is free. Rejects with `FailureError`, delivery `unsent`. */
  wait(runId: string, signal: AbortSignal, deadline: number): Promise<Session> {
    if (this.#closing.signal.aborted) return Promise.reject(shutDown());
    if (signal.aborted) return Promise.reject(cancelled('unsent', signal));
    if (this.#waiters.size >= this.#options.limits.waiters) {
      const message = `More than ${this.#options.limits.waiters} calls are waiting for a session already.`;
      return Promise.reject(new FailureError('server-overloaded', message, { delivery: 'unsent' }));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const refuse = (failure: unknown): void => {
        leave();
        reject(failure);
      };
      const serve = (session: Session): void => {
        leave();
        resolve(session);
      };
      const waiter: SessionWaiter = { runId, since: performance.now(), serve, refuse };
      const onAbort = (): void => refuse(cancelled('unsent', signal));
      const late = (): void =>
        refuse(new FailureError('timeout', 'No session with the server was free in time.', { delivery: 'unsent' }));
      const timer = setTimeout(late, Math.min(Math.max(deadline - performance.now(), 0), 2 ** 31 - 1));
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
      this.#grow();
    });
  }

  /** Returns a session whose call has ended. */
  give(session: Session, runId: string): void {
    session.inFlight -= 1;
    this.#lending.ended(session, runId);
    if (this.#options.isSingleUse) this.retire(session);
    if (session.inFlight === 0) {
      session.idleSince = performance.now();
      if (this.#retired.has(session)) unawaited(session.close());
    }
    if (this.#waiters.size > 0) this.#serve();
  }

  /** A call of the run ended without an answer: what the server still asks for it belongs to no other run. */
  leave(session: Session, runId: string): void {
    if (this.#lending.isMarked(session, runId)) this.retire(session);
  }

  /** The session gets no further calls. */
  retire(session: Session): void {
    if (!this.#sessions.delete(session)) return;
    this.#retired.add(session);
    if (session.inFlight === 0) unawaited(session.close());
  }

  retireAll(): void {
    for (const session of this.#sessions) this.retire(session);
  }

  /** Closes sessions that have been idle for too long. */
  sweep(now: number): void {
    for (const session of this.#sessions) {
      const isIdle =
        session.inFlight === 0 && session.leases === 0 && now - session.idleSince >= this.#options.limits.idleMs;
      if (isIdle && session.state === 'open') this.retire(session);
    }
  }

  /** Resolves when all sessions are closed. */
  async close(): Promise<void> {
    const reason = shutDown();
    this.#closing.abort(reason);
    clearTimeout(this.#growTimer);
    for (const waiter of this.#waiters) waiter.refuse(reason);
    await Promise.all(this.#openings);
    await Promise.all(this.sessions.map((session) => session.close()));
  }

  #leastBusy(runId: string): Session | undefined {
    let best: Session | undefined;
    for (const session of this.#sessions) {
      if (session.state !== 'open' || session.inFlight >= this.#options.limits.inFlight) continue;
      if (!this.#lending.mayServe(session, runId)) continue;
      if (best === undefined || session.inFlight < best.inFlight) best = session;
    }
    return best;
  }

  #handOut(session: Session, runId: string): void {
    this.#lending.began(session, runId);
    session.inFlight += 1;
    session.calls += 1;
    if (this.#options.renews && this.#isExpired(session)) this.#renew(session);
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      const session = this.#leastBusy(waiter.runId);
      if (session === undefined) break;
      this.#handOut(session, waiter.runId);
      waiter.serve(session);
    }
    this.#grow();
  }

  #isExpired({ calls, openedAt }: Session): boolean {
    const { limits } = this.#options;
    return calls >= limits.calls || performance.now() - openedAt >= limits.ageMs;
  }

  /** The old session keeps serving until its replacement is open. */
  #renew(expired: Session): void {
    if (this.opening === 0 && performance.now() >= this.#growNotBefore) this.#open(expired);
  }

  #grow(): void {
    const { sessionsMax, isSingleUse, limits } = this.#options;
    const [first] = this.#waiters;
    if (first === undefined || this.#closing.signal.aborted) return;
    const wanted = isSingleUse ? this.#waiters.size : 1;
    if (this.opening >= wanted || this.#sessions.size + this.opening >= sessionsMax) return;
    const dueAt = this.#sessions.size === 0 ? 0 : Math.max(first.since + limits.growAfterMs, this.#growNotBefore);
    const inMs = isSingleUse ? 0 : dueAt - performance.now();
    clearTimeout(this.#growTimer);
    if (inMs > 0) this.#growTimer = setTimeout(() => this.#grow(), inMs);
    else {
      this.#open();
      if (isSingleUse) this.#grow();
    }
  }

  #open(expired?: Session): void {
    const opening = this.#openSession(expired).then(() => {
      this.#openings.delete(opening);
      this.#grow();
    });
    this.#openings.add(opening);
  }

  async #openSession(expired: Session | undefined): Promise<void> {
    try {
      this.#adopt(await this.#options.open(this.#closing.signal, expired));
      if (expired !== undefined) this.retire(expired);
    } catch (error) {
      this.#growNotBefore = performance.now() + this.#options.limits.growAfterMs;
      this.#refuseWaiters(error);
    }
  }

  /** Rejects the waiting callers if no session is left to serve them. */
  #refuseWaiters(error: unknown): void {
    const { isSingleUse } = this.#options;
    if (!isSingleUse && this.#sessions.size > 0) return;
    for (const waiter of this.#waiters) {
      waiter.refuse(error);
      if (isSingleUse) return;
    }
  }

  #adopt(session: Session): void {
    this.#sessions.add(session);
    session.onclosed = () => {
      this.#sessions.delete(session);
      this.#retired.delete(session);
      this.#grow();
    };
    session.onfree = () => this.#serve();
    session.onflood = () => this.retire(session);
    if (session.state === 'closed') this.#sessions.delete(session);
    else if (this.#closing.signal.aborted) unawaited(session.close());
    // At once: a session with room and a line of waiting calls never exist together, so no call passes the line.
    else this.#serve();
  }
}
