/** The authorisations at all servers: one for each login, as long as the configuration of the server stays the same. */
import { NewestMap } from '@baton/primitives';
import { hasFixedLogin, type HttpServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

import type { Fetcher } from '../http/serverHttpClient.ts';
import { Grant } from './grant.ts';
import type { Login } from './login.ts';
import type { OAuthOptions } from './tokenStore.ts';

/** One that is dropped is read again from the store. */
const keptMax = 10_000;

export class Grants {
  readonly #options: OAuthOptions | undefined;
  readonly #fetcherOf: (config: HttpServerConfig) => Fetcher;
  readonly #known: KnownSecrets;
  readonly #grants = new NewestMap<string, { readonly of: string; readonly grant: Grant }>(keptMax);

  /** `options` absent: no server gets a grant. */
  constructor(
    options: OAuthOptions | undefined,
    fetcherOf: (config: HttpServerConfig) => Fetcher,
    known: KnownSecrets,
  ) {
    this.#options = options;
    this.#fetcherOf = fetcherOf;
    this.#known = known;
  }

  /**
   * `config`: with references resolved. `login`: undefined for that of the installation. Undefined if the configuration
   * holds a token itself.
   */
  of(config: HttpServerConfig, login: Login | undefined): Grant | undefined {
    const { name, url, headers, policy } = config;
    if (this.#options === undefined || (policy.auth === undefined && hasFixedLogin(headers))) return undefined;
    const auth = policy.auth ?? { grant: 'code' };
    const of = JSON.stringify([url, auth, policy.origins]);
    const key = `${name}~${login?.key ?? ''}`;
    const known = this.#grants.get(key);
    if (known?.of === of) return known.grant;
    const parts = { fetcher: this.#fetcherOf(config), known: this.#known, login };
    const grant = new Grant(config, auth, this.#options, parts);
    this.#grants.set(key, { of, grant });
    return grant;
  }
}
