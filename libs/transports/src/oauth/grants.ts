/** The authorisations of all servers: one for each, as long as its configuration stays the same. */
import type { HttpServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

import type { Fetcher } from '../http/serverHttpClient.ts';
import { Grant } from './grant.ts';
import type { OAuthOptions } from './tokenStore.ts';

export class Grants {
  readonly #options: OAuthOptions | undefined;
  readonly #fetcherOf: (config: HttpServerConfig) => Fetcher;
  readonly #known: KnownSecrets;
  readonly #grants = new Map<string, { readonly of: string; readonly grant: Grant }>();

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

  /** `config`: with references resolved. Undefined if the configuration holds a token itself. */
  of(config: HttpServerConfig): Grant | undefined {
    const { name, url, headers, policy } = config;
    const isFixed = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
    if (this.#options === undefined || (isFixed && policy.auth === undefined)) return undefined;
    const auth = policy.auth ?? { grant: 'code' };
    const of = JSON.stringify([url, auth, policy.origins]);
    const known = this.#grants.get(name);
    if (known?.of === of) return known.grant;
    const parts = { fetcher: this.#fetcherOf(config), known: this.#known };
    const grant = new Grant(config, auth, this.#options, parts);
    this.#grants.set(name, { of, grant });
    return grant;
  }
}
