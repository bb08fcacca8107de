/**
 * One configured server, once for each login: sessions, lists of tools, streams and pauses of one person serve no other.
 */
import { type RunPerson, FailureError } from '@baton/engine';
import { unawaited } from '@baton/primitives';
import type { ServerConfig, ServerStatus } from '@baton/protocol';

import { type Login, loginOfPerson } from '../oauth/login.ts';
import { type Server, hasOwnLogins } from './server.ts';

/** What a person has not used for this long, and nothing uses, is closed. */
const unusedMs = 600_000;

interface OwnServer {
  readonly server: Server;
  /** On the monotonic clock. */
  usedAt: number;
}

export class LoginServers {
  readonly config: ServerConfig;
  readonly #make: (login: Login | undefined) => Server;
  /** With the login of the installation. */
  readonly #common: Server;
  /** By login. */
  readonly #own = new Map<string, OwnServer>();

  constructor(config: ServerConfig, make: (login: Login | undefined) => Server) {
    this.config = config;
    this.#make = make;
    this.#common = make(undefined);
  }

  /**
   * With the login of the person, where people have their own; else with that of the installation. Throws `FailureError`
   * where the person did not agree to what is called: no other login replaces theirs.
   */
  for(person: RunPerson | undefined): Server {
    if (person === undefined || !hasOwnLogins(this.config)) return this.#common;
    if (person.notAgreed !== undefined)
      throw new FailureError('server-unauthorized', person.notAgreed, { delivery: 'unsent' });
    const login = loginOfPerson(person);
    const own = this.#own.get(login.key) ?? this.#add(login);
    own.usedAt = performance.now();
    return own.server;
  }

  get all(): readonly Server[] {
    return [this.#common, ...this.#ownServers()];
  }

  /** What one person sees says nothing of another: of failures, only those of the installation's login are told. */
  status(): ServerStatus {
    const common = this.#common.status();
    if (this.#own.size === 0) return common;
    const all = this.all.map((server) => server.status());
    const sum = (of: (status: ServerStatus) => number): number => all.reduce((total, one) => total + of(one), 0);
    const introduced = all.find(({ server }) => server !== undefined) ?? common;
    const { protocolVersion, era, server } = introduced;
    return {
      ...common,
      state: all.find(({ state }) => state === 'ready')?.state ?? common.state,
      sessions: {
        open: sum(({ sessions }) => sessions.open),
        busy: sum(({ sessions }) => sessions.busy),
        suspect: sum(({ sessions }) => sessions.suspect),
        opening: sum(({ sessions }) => sessions.opening),
        inFlight: sum(({ sessions }) => sessions.inFlight),
      },
      waiting: sum(({ waiting }) => waiting),
      protocolVersion,
      era,
      server,
    };
  }

  #add(login: Login): OwnServer {
    const now = performance.now();
    for (const [key, own] of this.#own) {
      if (now - own.usedAt < unusedMs || isInUse(own.server.status())) continue;
      this.#own.delete(key);
      unawaited(own.server.close());
    }
    const added = { server: this.#make(login), usedAt: now };
    this.#own.set(login.key, added);
    return added;
  }

  #ownServers(): readonly Server[] {
    return [...this.#own.values()].map(({ server }) => server);
  }
}

const isInUse = ({ sessions, waiting }: ServerStatus): boolean => sessions.open + sessions.opening + waiting > 0;
