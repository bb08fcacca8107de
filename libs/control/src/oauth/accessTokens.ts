/**
 * Admits requests with an access token. A token is read from Postgres once in a few seconds, like a key; what it may do is
 * what a person agreed to, and at most what their key may at that moment.
 */
import { type ClientChoice, ProblemError } from '@baton/api';
import { NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type ConnectedClient, type Database, findConnectedClient } from '@baton/store';

import type { Keyring } from '../keys/keyring.ts';
import type { Principal } from '../keys/scopes.ts';
import { limitedTo, type TokenResource } from './clientChoices.ts';
import type { SealedRecords } from './sealedRecords.ts';

/** How long a token that was read is cached. */
const freshMs = 5_000;
const keptMax = 10_000;

interface CachedToken {
  readonly token: AccessToken | undefined;
  readonly readAt: number;
}

interface AccessToken {
  readonly keyId: string;
  readonly choice: ClientChoice;
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly client: ConnectedClient;
}

interface AskedResource {
  readonly resource: TokenResource;
  /** As the client reached it: a token is for one address. */
  readonly address: string;
}

interface AccessTokenOptions {
  readonly store: Database;
  readonly records: SealedRecords;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** Of which form access tokens are; keys of Baton's own form begin with `baton_`. */
const form = /^Bearer ([\w-]{43})$/i;

export class AccessTokens {
  readonly #options: AccessTokenOptions;
  readonly #known = new NewestMap<string, CachedToken>(keptMax);
  /** A cache of its own, so that guesses push no token out of `#known`. */
  readonly #unknown = new NewestMap<string, CachedToken>(keptMax);

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  /**
   * Undefined, or resolves to it, if the header has no access token; it may have a key. Rejects with `ProblemError` for a
   * token of another address, or one that has ended with its time or with its key, and with `UnavailableError`.
   */
  admit(authorization: string | undefined, asked: AskedResource): Promise<Principal | undefined> | undefined {
    const [, text] = form.exec(authorization ?? '') ?? [];
    return text === undefined ? undefined : this.#admit(text, asked);
  }

  async #admit(text: string, { resource, address }: AskedResource): Promise<Principal | undefined> {
    for (const digest of this.#options.records.digestsOf('AccessToken', text)) {
      const token = await this.#find(digest);
      if (token === undefined) continue;
      const key = await this.#options.keyring.find(token.keyId);
      if (key === undefined || token.expiresAt <= this.#options.clock.now()) throw invalidToken('It has ended.');
      if (token.audience !== address) throw invalidToken(`It is for ${token.audience}.`);
      return principalOf(key, token, resource, digest);
    }
    return undefined;
  }

  /** Whether the token still gives the same rights, for long-lived streams. Rejects with `UnavailableError`. */
  async isGood({ client, expiresAt = 0 }: Principal): Promise<boolean> {
    if (client === undefined || expiresAt <= this.#options.clock.now()) return false;
    return (await this.#find(client.digest)) !== undefined && this.#options.keyring.isGood(client.holder);
  }

  /** Drops the tokens of an agreement from the cache. */
  forget(grantId: string): void {
    for (const [digest, { token }] of this.#known) if (token?.client.id === grantId) this.#known.delete(digest);
  }

  async #find(digest: Buffer): Promise<AccessToken | undefined> {
    const name = digest.toString('hex');
    const known = this.#known.get(name) ?? this.#unknown.get(name);
    const now = this.#options.clock.monotonic();
    if (known !== undefined && now - known.readAt < freshMs) return known.token;
    const token = await this.#read(digest);
    this.#known.delete(name);
    this.#unknown.delete(name);
    (token === undefined ? this.#unknown : this.#known).set(name, { token, readAt: now });
    return token;
  }

  async #read(digest: Buffer): Promise<AccessToken | undefined> {
    const { records, store } = this.#options;
    const payload = (await records.findBy(digest))?.payload;
    if (payload === undefined) return undefined;
    const client = await findConnectedClient(store, String(payload['grantId']));
    const account = accountIn(String(payload['accountId']));
    if (client === undefined || account === undefined) return undefined;
    const { aud, scope, exp } = payload;
    return {
      ...account,
      audience: String(aud),
      scopes: typeof scope === 'string' ? scope.split(' ') : [],
      expiresAt: Number(exp) * 1_000,
      client,
    };
  }
}

interface Account {
  readonly keyId: string;
  readonly choice: ClientChoice;
}

/** The account of an agreement: whose rights, and which of them. It is in every token, sealed. */
export const accountOf = ({ keyId, choice }: Account): string => `${choice} ${keyId}`;

export function accountIn(text: string): Account | undefined {
  const [choice, keyId] = text.split(' ');
  return keyId === undefined ? undefined : { choice: choice as ClientChoice, keyId };
}

function principalOf(key: Principal, token: AccessToken, resource: TokenResource, digest: Buffer): Principal {
  const { client, choice, scopes, expiresAt } = token;
  return {
    id: `client ${client.id}`,
    name: client.name,
    by: key.by,
    ...limitedTo(key, { choice, resource, scopes }),
    expiresAt: Math.min(expiresAt, key.expiresAt ?? expiresAt),
    client: { id: client.id, holder: key, name: `${client.name} (${client.clientId})`, digest },
  };
}

const invalidToken = (why: string): ProblemError =>
  new ProblemError('unauthenticated', `This access token is not valid here. ${why}`, {
    headers: { 'www-authenticate': `Bearer error="invalid_token"` },
  });
