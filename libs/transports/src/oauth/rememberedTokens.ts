/**
 * The stored authorisation of one login at one server: one text in the store, shared by several processes.
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

export interface StoredGrant {
  readonly url: string;
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  readonly discovery?: OAuthDiscoveryState | undefined;
  /** The PKCE code verifier of a login in progress. */
  readonly verifier?: string | undefined;
  readonly state?: string | undefined;
  /** Who began the login in progress, where it is a person's own. */
  readonly begunBy?: string | undefined;
  /** The challenge of the server's last refusal. */
  readonly challenge?: { readonly scope?: string; readonly resourceMetadataUrl?: string } | undefined;
}

/** Checks only the fields that this module reads. The SDK wrote the others and reads them. */
const StoredGrantSchema = z.looseObject({
  url: z.string(),
  tokens: z.looseObject({ access_token: z.string() }).optional(),
  verifier: z.string().optional(),
  state: z.string().optional(),
  begunBy: z.string().optional(),
});

interface RememberingOptions {
  readonly freshMs: number;
  readonly known: KnownSecrets;
  /** Absent: that of the installation. */
  readonly login: string | undefined;
}

export class RememberedTokens {
  readonly #store: TokenStore;
  readonly #server: string;
  readonly #login: string | undefined;
  readonly #url: string;
  readonly #freshMs: number;
  readonly #known: KnownSecrets;
  #memory: StoredGrant | undefined;
  /** Whether its tokens are kept, and not used. */
  #isSuspended = false;
  #readAt = 0;
  readonly #storeFaults = new WeakSet<Error>();

  /** Read again after `freshMs`: until then a log-out in another process may go unnoticed. */
  constructor(
    store: TokenStore,
    { name, url }: Pick<HttpServerConfig, 'name' | 'url'>,
    { freshMs, known, login }: RememberingOptions,
  ) {
    this.#store = store;
    this.#server = name;
    this.#login = login;
    this.#url = url;
    this.#freshMs = freshMs;
    this.#known = known;
  }

  /** Whether Baton's own store failed, and not the authorization server. */
  isStoreFault(error: unknown): boolean {
    return error instanceof Error && this.#storeFaults.has(error);
  }

  /** The authorisation, at most `freshMs` old. Without its tokens where they are not used. */
  async read(): Promise<StoredGrant> {
    const isFresh = performance.now() - this.#readAt < this.#freshMs;
    return this.#memory !== undefined && isFresh ? this.#used(this.#memory) : this.reread();
  }

  /** The authorisation as stored now: another process may have changed it. Without its tokens where they are not used. */
  async reread(): Promise<StoredGrant> {
    return this.#used(await this.whole());
  }

  /** As stored now, also with tokens that are not used. */
  async whole(): Promise<StoredGrant> {
    this.#memory = await this.#load();
    this.#learn(this.#memory);
    this.#readAt = performance.now();
    return this.#memory;
  }

  #used(memory: StoredGrant): StoredGrant {
    return this.#isSuspended ? { ...memory, tokens: undefined } : memory;
  }

  /** Forgets everything but the client registration. */
  async forget(): Promise<void> {
    const { client } = await this.reread();
    await this.#save({ url: this.#url, ...(client === undefined ? {} : { client }) });
  }

  /** Merges the change into the stored authorisation: another process may have logged in meanwhile. */
  async change(change: Partial<StoredGrant>): Promise<void> {
    const before = await this.whole();
    const after = { ...before, ...change };
    this.#memory = after;
    this.#learn(after);
    if (JSON.stringify(after) !== JSON.stringify(before)) await this.#save(after);
  }

  #learn({ tokens, client, verifier }: StoredGrant): void {
    const secret = client !== undefined && 'client_secret' in client ? client.client_secret : undefined;
    const all = [tokens?.access_token, tokens?.refresh_token, tokens?.id_token, secret, verifier];
    this.#known.learn(
      `tokens of ${this.#login ?? 'all'} at ${this.#server}`,
      all.filter((value) => value !== undefined),
    );
  }

  async #save(memory: StoredGrant): Promise<void> {
    this.#memory = memory;
    await this.#ofStore(this.#store.save(this.#server, JSON.stringify(memory), this.#login));
  }

  async #ofStore<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Error) this.#storeFaults.add(error);
      throw error;
    }
  }

  async #load(): Promise<StoredGrant> {
    const text = await this.#ofStore(this.#store.load(this.#server, this.#login));
    const found = text === undefined ? undefined : grantIn(text);
    const stored: StoredGrant = found?.url === this.#url ? found : { url: this.#url };
    const isSuspended =
      this.#login !== undefined && stored.tokens !== undefined && this.#store.isSuspended?.(this.#login);
    this.#isSuspended = (await this.#ofStore(Promise.resolve(isSuspended))) === true;
    return stored;
  }
}

/** Undefined for a text of another form. */
export function grantIn(text: string): StoredGrant | undefined {
  const stored = StoredGrantSchema.safeParse(JSON.parse(text));
  return stored.success ? (stored.data as unknown as StoredGrant) : undefined;
}
