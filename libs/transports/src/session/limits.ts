/** The limits of a server's sessions: from its configuration, otherwise the default for its kind. */
import { limits } from '@baton/expressions';
import type { ServerConfig } from '@baton/protocol';
import { callTimeout } from '@baton/runner';

export interface SessionLimits {
  /** Calls in flight on one session. */
  readonly inFlight: number;
  /** Sessions at once, all keys of a server together. */
  readonly sessions: number;
  /** The pool opens a further session when a caller has waited this long. */
  readonly growAfterMs: number;
  readonly waiters: number;
  readonly openMs: number;
  /** How long an unused session is kept, and the age at which a busy one is replaced. */
  readonly idleMs: number;
  readonly ageMs: number;
  readonly calls: number;
  /** After so long without a call, Baton pings a session before the next call. */
  readonly sleepMs: number;
  readonly pingMs: number;
  /** How long looked-up secrets are used before they are looked up again. */
  readonly secretsMs: number;
  /** After so long Baton reads the catalogue again, even if the server reports no changes. */
  readonly catalogueMs: number;
  /** How long a cancelled call may still answer. */
  readonly graceMs: number;
  /** The idle timeout of a call whose step sets none. */
  readonly callIdleMs: number;
  readonly callTotalMs: number;
}

const minute = 60_000;

const common = {
  inFlight: 64,
  growAfterMs: 250,
  waiters: 10_000,
  openMs: 15_000,
  ageMs: 60 * minute,
  calls: 1_000_000,
  sleepMs: 30_000,
  pingMs: 5_000,
  secretsMs: minute,
  catalogueMs: limits.catalogue.ageMs,
  graceMs: 1_000,
  callIdleMs: minute,
  callTotalMs: 10 * minute,
} as const;

/**
 * One process by default: it multiplexes, and two processes of a server that writes a file could corrupt it. An HTTP
 * server expects several clients anyway.
 */
const shared = {
  stdio: { ...common, openMs: minute, sessions: 1, idleMs: 5 * minute },
  http: { ...common, sessions: 4, idleMs: 2 * minute },
} as const;

/** Launchers that may download the program on first use: one package took 78 s. */
const fetchers: ReadonlySet<string> = new Set('npx npm pnpm pnpx yarn bunx bun uvx uv pipx docker podman'.split(' '));
const fetchingOpenMs = 5 * minute;

const openMsOf = (config: ServerConfig, usualMs: number): number =>
  config.type === 'stdio' && fetchers.has(config.command.replace(/^.*[/\\]|\.(?:cmd|exe)$/g, ''))
    ? fetchingOpenMs
    : usualMs;

/** If sessions belong to runs, or are lent to them, each run in progress needs one. */
const ownedSessions = 16;

/** Whether the server may ask a person or a model. */
export const mayAsk = ({ sampling, elicitation }: Pick<ServerConfig['policy'], 'sampling' | 'elicitation'>): boolean =>
  sampling !== 'deny' || elicitation !== 'deny';

export function sessionLimits(config: ServerConfig, overrides: Partial<SessionLimits>): SessionLimits {
  const { type, policy } = config;
  const usual = { ...shared[type === 'stdio' ? 'stdio' : 'http'], ...overrides };
  const { timeout } = policy;
  return {
    ...usual,
    sessions: policy.sessions ?? (policy.scope === 'shared' && !mayAsk(policy) ? usual.sessions : ownedSessions),
    inFlight: policy.scope === 'call' ? 1 : (policy.concurrency ?? usual.inFlight),
    openMs: policy.openTimeout ?? overrides.openMs ?? openMsOf(config, usual.openMs),
    idleMs: policy.idleTimeout ?? usual.idleMs,
    ageMs: policy.maxAge ?? usual.ageMs,
    calls: policy.maxCalls ?? usual.calls,
    ...(timeout === undefined ? {} : callTimeout(timeout)),
  };
}
