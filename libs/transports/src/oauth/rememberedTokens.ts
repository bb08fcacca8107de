/**
 * The stored authorisation of one server: one text in the store, shared by several processes.
 *
 * It belongs to an address: if a server gets another address, it gets none of the tokens of the first.
 */
import type { HttpServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

import type { TokenStore } from './tokenStore.ts';

export interface Memory {
  readonly url: string;
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  readonly discovery?: OAuthDiscoveryState | undefined;
  /** Of a log-in in progress: PKCE's secret, and the expected state. */
  readonly verifier?: string | undefined;
  readonly state?: string | undefined;
  /** What the server asked for when it refused. */
  readonly challenge?: { readonly scope?: string; readonly resourceMetadataUrl?: string } | undefined;
}

/** Only what is relied on by itself; the rest the SDK reads, which wrote it. */
const Stored = z.looseObject({
  url: z.string(),
  tokens: z.looseObject({ access_token: z.string() }).optional(),
  verifier: z.string().optional(),
  state: z.string().optional(),
});

interface TokenKeeping {
  readonly freshMs: number;
  readonly known: KnownSecrets;
}

export class RememberedTokens {
  readonly #store: TokenStore;
  readonly #server: string;
  readonly #url: string;
  readonly #freshMs: number;
  readonly #known: KnownSecrets;
  #memory: Memory | undefined;
  #readAt = 0;

  /** Read again after `freshMs`: until then a log-out in another process may go unnoticed. */
  constructor(
    store: TokenStore,
    { name, url }: Pick<HttpServerConfig, 'name' | 'url'>,
    { freshMs, known }: TokenKeeping,
  ) {
    this.#store = store;
    this.#server = name;
    this.#url = url;
    this.#freshMs = freshMs;
    this.#known = known;
  }

  /** As this process knows it. */
  async read(): Promise<Memory> {
    const isFresh = performance.now() - this.#readAt < this.#freshMs;
    return this.#memory !== undefined && isFresh ? this.#memory : this.reread();
  }

  /** As it is now: another process may have changed it. */
  async reread(): Promise<Memory> {
    this.#memory = await this.#load();
    this.#learn(this.#memory);
    this.#readAt = performance.now();
    return this.#memory;
  }

  /** What is left is who we are to the authorization server. */
  async forget(): Promise<void> {
    const { client } = await this.reread();
    await this.#save({ url: this.#url, ...(client === undefined ? {} : { client }) });
  }

  /** On top of what is there now: another process may have logged in meanwhile. */
  async change(change: Partial<Memory>): Promise<void> {
    const before = await this.reread();
    const after = { ...before, ...change };
    this.#memory = after;
    this.#learn(after);
    if (JSON.stringify(after) !== JSON.stringify(before)) await this.#save(after);
  }

  #learn({ tokens, client, verifier }: Memory): void {
    const secret = client !== undefined && 'client_secret' in client ? client.client_secret : undefined;
    const all = [tokens?.access_token, tokens?.refresh_token, tokens?.id_token, secret, verifier];
    this.#known.learn(
      `tokens of ${this.#server}`,
      all.filter((value) => value !== undefined),
    );
  }

  async #save(memory: Memory): Promise<void> {
    this.#memory = memory;
    await this.#store.save(this.#server, JSON.stringify(memory));
  }

  async #load(): Promise<Memory> {
    const text = await this.#store.load(this.#server);
    const stored = text === undefined ? undefined : Stored.safeParse(JSON.parse(text));
    if (stored?.success !== true || stored.data.url !== this.#url) return { url: this.#url };
    return stored.data as unknown as Memory;
  }
}
