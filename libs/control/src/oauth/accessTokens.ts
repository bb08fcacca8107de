/**
 * Admits requests with an access token. A token is read from Postgres once in a few seconds, like a key; what it may do is
 * what a person agreed to, and at most what their key may at that moment.
 */
import { type ClientChoice, ProblemError } from '@baton/api';
import { NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type ConnectedClient, type Database, findConnectedClient } from '@baton/store';

import type { Keyring } from '../keys/keyring.ts';
import { type Principal, type TokenGrants, haveSameRights } from '../keys/scopes.ts';
import type { TokenResource } from './clientChoices.ts';
import { clientPrincipal } from './clientPrincipal.ts';
import type { SealedRecords } from './sealedRecords.ts';

/** How long a token that was read is cached. */
const freshMs = 5_000;
const keptMax = 10_000;

interface CachedToken {
  readonly token: AccessToken | undefined;
  readonly readAt: number;
}

interface AccessToken extends Account {
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly client: ConnectedClient;
}

export interface AskedResource {
  readonly resource: TokenResource;
  /** As the client reached it: a token is for one address. */
  readonly address: string;
  /** The address of the client. */
  readonly from: string;
}

/** People for whom another authorization server speaks. All reject with `UnavailableError`. */
export interface IssuedTokens {
  /** Of a token that the server signed. Rejects with `ProblemError`. */
  admit(text: string, asked: AskedResource): Promise<Principal>;
  /** The person with that id; undefined: they were removed, or are of another server. */
  find(personId: string, said: TokenGrants): Promise<Principal | undefined>;
}

interface AccessTokenOptions {
  readonly store: Database;
  readonly records: SealedRecords;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Absent: the tokens of no other server are taken. */
  readonly issued?: IssuedTokens | undefined;
}

/** Of which form access tokens are; keys of Baton's own form begin with `baton_`. */
const form = /^Bearer ([\w-]{43})$/i;
/** A header in JSON begins so. */
const signedForm = /^Bearer (ey[\w-]{1,4000}\.[\w-]{1,12000}\.[\w-]{0,4000})$/i;

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
    const { issued } = this.#options;
    const [, signed] = (issued && signedForm.exec(authorization ?? '')) ?? [];
    if (issued !== undefined && signed !== undefined) return issued.admit(signed, asked);
    const [, text] = form.exec(authorization ?? '') ?? [];
    return text === undefined ? undefined : this.#admit(text, asked);
  }

  async #admit(text: string, { resource, address }: AskedResource): Promise<Principal | undefined> {
    for (const digest of this.#options.records.digestsOf('AccessToken', text)) {
      const token = await this.#find(digest);
      if (token === undefined) continue;
      const key = await this.#holderOf(token);
      if (key === undefined || token.expiresAt <= this.#options.clock.now()) throw invalidToken('It has ended.');
      if (token.audience !== address) throw invalidToken(`It is for ${token.audience}.`);
      return principalOf(key, token, resource, digest);
    }
    return undefined;
  }

  #holderOf({ keyId, said }: Pick<Account, 'keyId' | 'said'>): Promise<Principal | undefined> {
    const { keyring, issued } = this.#options;
    return said === undefined ? keyring.find(keyId) : (issued?.find(keyId, said) ?? Promise.resolve(undefined));
  }

  /** Whether the token still gives the same rights, for long-lived streams. Rejects with `UnavailableError`. */
  async isGood({ client, expiresAt = 0 }: Principal): Promise<boolean> {
    if (client === undefined || expiresAt <= this.#options.clock.now()) return false;
    const { digest, holder, said } = client;
    if (digest !== undefined && (await this.#find(digest)) === undefined) return false;
    if (said === undefined) return this.#options.keyring.isGood(holder);
    const now = await this.#holderOf({ keyId: holder.id, said });
    return now !== undefined && haveSameRights(now, holder);
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
  /** Another server vouches for the person; absent: Baton does, or their identity provider when it is asked. */
  readonly said?: TokenGrants | undefined;
}

/** The account of an agreement: whose rights, and which of them. It is in every token, sealed. */
export const accountOf = ({ keyId, choice, said }: Account): string =>
  [choice, keyId, ...(said === undefined ? [] : [Buffer.from(JSON.stringify(said)).toString('base64url')])].join(' ');

export function accountIn(text: string): Account | undefined {
  const [choice, keyId, said] = text.split(' ');
  if (keyId === undefined) return undefined;
  const account = { choice: choice as ClientChoice, keyId };
  if (said === undefined) return account;
  return { ...account, said: JSON.parse(Buffer.from(said, 'base64url').toString()) as TokenGrants };
}

function principalOf(holder: Principal, token: AccessToken, resource: TokenResource, digest: Buffer): Principal {
  const { client, choice, scopes, expiresAt, said } = token;
  const { id, name, clientId } = client;
  const may = { choice, resource, scopes };
  return clientPrincipal(may, expiresAt, name, {
    id,
    holder,
    name: `${name} (${clientId})`,
    digest,
    ...(said && { said }),
  });
}

export const invalidToken = (why: string): ProblemError =>
  new ProblemError('unauthenticated', `This access token is not valid here. ${why}`, {
    headers: { 'www-authenticate': `Bearer error="invalid_token"` },
  });
