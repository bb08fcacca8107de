/** The values that a server's configuration refers to, looked up when needed, and again when they may have changed. */
import { FailureError } from '@baton/engine';
import type { Lookups, Reference, ServerConfig } from '@baton/protocol';
import { credentialsOf, digestOf, referencesIn, resolveServer } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

export interface Credential {
  /** The configuration with values in place of references. */
  readonly config: ServerConfig;
  /** Sessions opened with other values are not used. */
  readonly digest: string;
}

export class Credentials {
  readonly #config: ServerConfig;
  readonly #lookups: Lookups;
  readonly #freshMs: number;
  readonly #known: KnownSecrets;
  /** Nothing is referred to. */
  readonly #isFixed: boolean;
  #current: Credential | undefined;
  #freshUntil = 0;
  #refreshing: Promise<Credential> | undefined;

  /** Looks them up again after `freshMs`: a changed secret may be used for that long. */
  constructor(config: ServerConfig, lookups: Lookups, freshMs: number, known: KnownSecrets) {
    this.#config = config;
    this.#lookups = lookups;
    this.#freshMs = freshMs;
    this.#known = known;
    this.#isFixed = referencesIn(JSON.stringify(config)).length === 0;
    // Before anything is started: other servers may have been given the same.
    known.learn(`configuration of ${config.name}`, credentialsOf(config));
  }

  /** Without waiting; undefined where they must be looked up. */
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

  /** They were not accepted: perhaps they are not the same any more. */
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
    // What is about to be used is known before anything of it can come back.
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
