/**
 * Revokes the tokens of people who were removed, at the servers where they had logged in. Nothing waits for it: calls use
 * these logins no more, and a server that does not answer is asked again for an hour.
 */
import { FailureError } from '@baton/engine';
import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';
import { type Database, type EndedLogin, endedLogins, forgetEndedLogin, type Vault } from '@baton/store';
import type { Servers } from '@baton/transports';

const everyMs = 60_000;
/** Then the tokens are left to expire. */
const givenUpAfterMs = 3_600_000;

export interface LoginRevokerOptions {
  readonly store: Database;
  readonly vault: Vault;
  readonly servers: Pick<Servers, 'revoke'>;
  readonly clock: Clock;
  /** The tokens may still be good: `problem` says why, as a sentence. */
  readonly onUnrevoked: (login: Pick<EndedLogin, 'server' | 'person'>, problem: string) => void;
  readonly onTrouble: TaskTrouble;
}

export class LoginRevoker {
  readonly #options: LoginRevokerOptions;
  readonly #rounds: BackgroundTask;

  constructor(options: LoginRevokerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'ended logins', clock, run: () => this.tick(), onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  /** A person was removed. */
  wake(): void {
    this.#rounds.wake();
  }

  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Rejects with `UnavailableError`. */
  async tick(): Promise<number> {
    const { store, vault } = this.#options;
    /** Servers that did not answer: the logins of others do not wait for them. */
    const away = new Set<string>();
    for (const login of await endedLogins(store, vault)) {
      if (this.#rounds.isClosed) break;
      if (away.has(login.server)) continue;
      const isOver = await this.#rounds.tryRow(login.name, () => this.#end(login));
      if (isOver === false) away.add(login.server);
    }
    return everyMs;
  }

  /** False: it is tried again. */
  async #end(login: EndedLogin): Promise<boolean> {
    const { store, clock, onUnrevoked } = this.#options;
    const problem = await this.#revoke(login);
    if (problem?.isLasting === false && clock.now() - login.endedAt < givenUpAfterMs) return false;
    const isOurs = await forgetEndedLogin(store, login, problem?.message);
    if (isOurs && problem !== undefined) onUnrevoked(login, problem.message);
    return true;
  }

  async #revoke({ server, text }: EndedLogin): ReturnType<Servers['revoke']> {
    if (text === undefined)
      return { message: 'They are sealed with a key that this installation does not have.', isLasting: true };
    try {
      return await this.#options.servers.revoke(server, text);
    } catch (error) {
      // The server is no longer configured, or a secret of its configuration is missing.
      if (error instanceof FailureError) return { message: error.message, isLasting: false };
      throw error;
    }
  }
}
