/** Looks up the values that a server's configuration refers to, when needed and again when they may have changed. */
import { FailureError } from '@baton/engine';
import {
  type Lookups,
  type Reference,
  type ServerConfig,
  credentialsOf,
  digestOf,
  referencesIn,
  resolveServer,
} from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

export interface Credential {
  /** The configuration with values in place of references. */
  readonly config: ServerConfig;
  /** Digest of the values: a session opened with another digest is not used. */
  readonly digest: string;
}

export class Credentials {
  readonly #config: ServerConfig;
  readonly #lookups: Lookups;
  readonly #freshMs: number;
  readonly #known: KnownSecrets;
  /** The configuration has no references. */
  readonly #isFixed: boolean;
  #current: Credential | undefined;
  #freshUntil = 0;
  #refreshing: Promise<Credential> | undefined;

  /** `freshMs`: how long values are used before they are looked up again. */
  constructor(config: ServerConfig, lookups: Lookups, freshMs: number, known: KnownSecrets) {
    this.#config = config;
    this.#lookups = lookups;
    this.#freshMs = freshMs;
    this.#known = known;
    this.#isFixed = referencesIn(JSON.stringify(config)).length === 0;
    // Learned before anything starts: other servers may hold the same secret.
    known.learn(`configuration of ${config.name}`, credentialsOf(config));
  }

  /** The credential, if it needs no look-up now. */
  current(): Credential | undefined {
    if (this.#isFixed) return this.#current;
    return performance.now() < this.#freshUntil ? this.#current : undefined;
  }

  /** Rejects with `FailureError`, delivery `unsent`. */
  lookUp(): Promise<Credential> {
    this.#refreshing ??= this.#resolve().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The server rejected the values: the next call looks them up again. */
  forget(): void {
    this.#freshUntil = 0;
  }

  async #resolve(): Promise<Credential> {
    const { name } = this.#config;
    const resolved = await resolveServer(this.#config, this.#lookups).catch((error: unknown) => {
      if (error instanceof FailureError) throw error;
      throw unresolved(`The secrets of the server "${name}" cannot be looked up.`, error);
    });
    const { config, secrets, missing } = resolved;
    if (missing.length > 0)
      throw unresolved(`The server "${name}" refers to ${listed(missing)}.${settingThem(missing)}`);
    // Learned before use: the server's first message may repeat a secret.
    this.#known.learn(`server ${name}`, secrets);
    this.#current = { config, digest: digestOf(secrets).slice(0, 16) };
    this.#freshUntil = performance.now() + this.#freshMs;
    return this.#current;
  }
}

const kinds: Readonly<Record<Reference['kind'], string>> = {
  env: 'environment variable',
  secret: 'secret',
  folder: 'folder',
};

const listed = (missing: readonly Reference[]): string =>
  missing.map(({ source, kind }) => `"${source}", and there is no such ${kinds[kind]}`).join('; to ');

const settingThem = (missing: readonly Reference[]): string =>
  [...new Set(missing.flatMap(({ kind, name }) => (kind === 'secret' ? [name] : [])))]
    .map((name) => ` Set it: baton secrets set ${name}`)
    .join('.');

const unresolved = (message: string, cause?: unknown): FailureError =>
  new FailureError('server-unreachable', message, { delivery: 'unsent', cause });
