/**
 * The log-in that this account has at a server. Its access token is renewed before it ends, by one process at a time: the
 * token for renewing is good once, and a second use would end the log-in.
 */
import { CommandError } from '../commandError.ts';
import type { Environment } from '../environment.ts';
import { exitCodes } from '../exitCodes.ts';
import { serverOf } from './address.ts';
import { keptLogin, type KeptLogin, loginFileOf, readLogin, writeLogin } from './loginFile.ts';

/** A token that ends sooner is renewed first. */
const aheadMs = 60_000;

export class SavedLogin {
  readonly server: string;
  readonly #file: string;
  #kept: KeptLogin;
  #renewing: Promise<KeptLogin> | undefined;

  private constructor(server: string, file: string, kept: KeptLogin) {
    this.server = server;
    this.#file = file;
    this.#kept = kept;
  }

  /** Undefined where there is none. Rejects with `CommandError` for a file that is not used. */
  static async of(url: URL, env: Environment): Promise<SavedLogin | undefined> {
    const server = serverOf(url);
    const file = loginFileOf(env, server);
    const kept = await readLogin(file, server);
    return kept && new SavedLogin(server, file, kept);
  }

  /** A token that is good now. Rejects with `CommandError` where the log-in has ended, or cannot be renewed. */
  async token(): Promise<string> {
    if (isFresh(this.#kept)) return this.#kept.access;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return (await this.#renewing).access;
  }

  async #renew(): Promise<KeptLogin> {
    // A command that renews nothing does not load it.
    const { withLock } = await import('./fileLock.ts');
    this.#kept = await withLock(lockOf(this.#file), () => this.#renewed());
    return this.#kept;
  }

  /** As another process left it, or renewed here. */
  async #renewed(): Promise<KeptLogin> {
    const kept = await readLogin(this.#file, this.server);
    if (kept === undefined) throw loginEnded(this.server);
    if (isFresh(kept)) return kept;
    const { CommandLogin, ProviderFault } = await import('@baton/oauth/login');
    try {
      const login = await CommandLogin.at(this.server);
      const renewed = keptLogin(this.server, await login.renew(kept.refresh));
      await writeLogin(this.#file, renewed);
      return renewed;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      if (error.kind === 'ended') throw loginEnded(this.server, error);
      throw new CommandError(exitCodes.unreachable, error.message, { cause: error });
    }
  }
}

/** Beside the file, which is replaced. */
export const lockOf = (file: string): string => `${file}.lock`;

const isFresh = ({ expiresAt }: KeptLogin): boolean => expiresAt - aheadMs > Date.now();

/** The file stays: without it, the next command would find another key. */
export const loginEnded = (server: string, cause?: Error): CommandError =>
  new CommandError(exitCodes.notAllowed, `Your log-in at ${server} has ended.`, {
    cause,
    hint: `log in again: baton login ${server}; or use a key after: baton logout ${server}`,
  });
