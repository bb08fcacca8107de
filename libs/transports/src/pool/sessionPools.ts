/** The session pools of one server: one for each credential, and one for each run if sessions belong to runs. */
import type { ServerConfig } from '@baton/protocol';

import type { Credential } from '../session/credentials.ts';
import { type SessionLimits, mayAsk } from '../session/limits.ts';
import type { Session } from '../session/session.ts';
import { noRun } from './lending.ts';
import { Pool } from './pool.ts';

interface SessionPoolsOptions {
  readonly policy: Pick<ServerConfig['policy'], 'scope' | 'sampling' | 'elicitation'>;
  readonly limits: SessionLimits;
  /** Aborted when the server closes: no pool is made then. */
  readonly closing: AbortSignal;
  /** Rejects with `FailureError`, and with the signal's reason. */
  readonly open: (credential: Credential, signal: AbortSignal, replaced: Session | undefined) => Promise<Session>;
  /** Called before the first session with another credential than the last one. */
  readonly onNewCredential: () => void;
}

export class SessionPools {
  readonly #options: SessionPoolsOptions;
  readonly #pools = new Map<string, Pool>();
  #sweeper: NodeJS.Timeout | undefined;
  /** Digest of the credential that was used last. */
  #digest: string | undefined;

  constructor(options: SessionPoolsOptions) {
    this.#options = options;
  }

  get all(): readonly Pool[] {
    return [...this.#pools.values()];
  }

  /** The pool for calls of the run, made when first needed. Throws the reason of `closing`. */
  for(credential: Credential, runId: string): Pool {
    const { scope } = this.#options.policy;
    const isOwned = scope === 'run' || (scope === 'call' && runId === noRun);
    const key = isOwned ? `${credential.digest}/${runId}` : credential.digest;
    return this.#pools.get(key) ?? this.#add(key, credential, isOwned);
  }

  /** Sessions of the run end with their last call, if sessions belong to runs. */
  retireRun(runId: string): void {
    if (this.#options.policy.scope !== 'run') return;
    for (const [key, pool] of this.#pools) if (key.endsWith(`/${runId}`)) pool.retireAll();
  }

  /** Sessions get no further calls, and end with their last one. */
  retireAll(): void {
    for (const pool of this.#pools.values()) pool.retireAll();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all(this.all.map((pool) => pool.close()));
  }

  #add(key: string, credential: Credential, isOwned: boolean): Pool {
    const { policy, limits, closing, open, onNewCredential } = this.#options;
    const { scope } = policy;
    closing.throwIfAborted();
    // Sessions that were opened with the previous secrets.
    for (const [other, pool] of this.#pools) if (!other.startsWith(credential.digest)) pool.retireAll();
    if (this.#digest !== undefined && this.#digest !== credential.digest) onNewCredential();
    this.#digest = credential.digest;
    const pool = new Pool({
      limits,
      sessionsMax: isOwned ? 1 : limits.sessions,
      isSingleUse: scope === 'call' && !isOwned,
      isAsking: scope === 'shared' && mayAsk(policy),
      renews: scope === 'shared',
      open: (signal, replaced) => open(credential, signal, replaced),
    });
    this.#pools.set(key, pool);
    const everyMs = Math.min(Math.max(limits.idleMs / 4, 20), 30_000);
    this.#sweeper ??= setInterval(() => this.#sweep(), everyMs).unref();
    return pool;
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
}
