/**
 * Sessions of browsers. The cookie holds a token: the id of the key that logged in, and a random text. A session has the
 * rights of its key, which it looks up each time, so a session ends with its key. Sessions are read from Postgres once in
 * a few seconds, like keys.
 *
 * Postgres keeps an HMAC of the token, under a key that is not in the database: its owner can neither invent a session
 * or a code, nor give one to another key.
 */
import { createHmac, randomBytes } from 'node:crypto';

import { ProblemError } from '@baton/api';
import { NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import {
  type Database,
  type LoginCredential,
  type LoginSession,
  beginLoginSession,
  endLoginSession,
  findLoginSession,
  putLoginCode,
  renewLoginSession,
  sessionLineMax,
} from '@baton/store';

import type { Keyring } from './keyring.ts';
import type { Principal } from './scopes.ts';

/** A session ends this long after its last use. */
export const sessionMs = 12 * 3_600_000;
/** How long a login code is valid. */
const codeMs = 10 * 60_000;
/** How long a link is valid that logs a person in. */
const linkMs = 15 * 60_000;
/** The shortest interval between extensions of a session. */
const renewEveryMs = 10 * 60_000;
/** How long a session that was read is cached. */
const freshMs = 5_000;
const keptMax = 10_000;

type GivenCredential = { readonly key: string } | { readonly code: string };

export interface LoginSessionOptions {
  readonly store: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** The first key makes digests; sessions are recognised with any of them. */
  readonly secretKeys: readonly Buffer[];
}

export type SessionPrincipal = Principal & Required<Pick<Principal, 'session'>>;

export interface AdmittedSession {
  readonly principal: SessionPrincipal;
  /** The cookie must be set again. */
  readonly isRenewed: boolean;
}

export interface BegunSession {
  readonly principal: SessionPrincipal;
  /** The token in the cookie. */
  readonly token: string;
}

export class LoginSessions {
  readonly #options: LoginSessionOptions;
  readonly #known = new NewestMap<string, { readonly session: LoginSession; readonly readAt: number }>(keptMax);

  constructor(options: LoginSessionOptions) {
    this.#options = options;
  }

  /** Rejects with `ProblemError` if the key or the code is not valid, and with `UnavailableError`. */
  async logIn(credential: GivenCredential, address: string): Promise<BegunSession> {
    const begun = await this.#begin(await this.#credentialOf(credential, address));
    if (begun === undefined) throw this.#options.keyring.refuse(address, badCode());
    return begun;
  }

  /** A session of a person for whom an identity provider vouches. Rejects with `ProblemError` and `UnavailableError`. */
  async beginFor(personId: string, issuer: string): Promise<BegunSession> {
    const begun = await this.#begin({ keyId: personId, issuer });
    if (begun === undefined) throw new ProblemError('unauthenticated', 'This person may not log in.');
    return begun;
  }

  async #begin(wanted: LoginCredential): Promise<BegunSession | undefined> {
    const { store, keyring, clock } = this.#options;
    const now = clock.now();
    const token = newToken(wanted.keyId);
    const digest = this.#digestOf(token);
    const begun = { id: randomText().slice(0, idLength), digest, now, expiresAt: now + sessionMs };
    const session = await beginLoginSession(store, wanted, begun, (keyId) => this.#nameOf(keyId));
    const key = session && (await keyring.find(session.keyId));
    if (session === undefined || key === undefined) return undefined;
    return { principal: principalOf(key, session, digest), token };
  }

  /** Undefined if there is no such session, or if it has ended. Rejects with `UnavailableError`. */
  async admit(token: string): Promise<AdmittedSession | undefined> {
    const { keyring, clock } = this.#options;
    const found = await this.#ofToken(token);
    const key = found && found.session.expiresAt > clock.now() ? await keyring.find(found.session.keyId) : undefined;
    if (found === undefined || key === undefined) return undefined;
    const { session, digest } = found;
    if (session.expiresAt - clock.now() > sessionMs - renewEveryMs)
      return { principal: principalOf(key, session, digest), isRenewed: false };
    const renewed = { ...session, expiresAt: clock.now() + sessionMs };
    await renewLoginSession(this.#options.store, session.id, renewed.expiresAt);
    this.#keep(digest, renewed);
    return { principal: principalOf(key, renewed, digest), isRenewed: true };
  }

  /** Whether the session still gives the same rights, for long-lived streams. Rejects with `UnavailableError`. */
  async isGood(principal: Principal): Promise<boolean> {
    const { keyring, clock } = this.#options;
    if (!(await keyring.isGood(principal))) return false;
    if (principal.session === undefined) return true;
    const session = await this.#find(principal.session.digest);
    return session !== undefined && session.expiresAt > clock.now();
  }

  /** Ends the sessions that it made, too. False if there is none. Rejects with `UnavailableError`. */
  async end(id: string, by: string): Promise<boolean> {
    const ended = new Set(await endLoginSession(this.#options.store, id, by));
    for (const [digest, { session }] of this.#known)
      if (session.id === id || ended.has(session.id)) this.#known.delete(digest);
    return ended.size > 0;
  }

  /** Rejects with `ProblemError` if the session of the request has ended, and with `UnavailableError`. */
  async createCode(principal: Principal): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const { id: keyId, by, session, client } = principal;
    if (client !== undefined) throw new ProblemError('forbidden', 'A connected client logs no browser in.');
    const code = newToken(keyId);
    const expiresAt = this.#options.clock.now() + codeMs;
    const wanted = { digest: this.#digestOf(code), keyId, expiresAt, maker: session?.id };
    const outcome = await putLoginCode(this.#options.store, wanted, by);
    if (outcome === 'ended') throw new ProblemError('unauthenticated', 'The session has ended. Log in again.');
    if (outcome === 'too-long') throw new ProblemError('conflict', lineTooLong);
    return { code, expiresAt };
  }

  /** A code that logs the person in once. Sessions of its maker are not above the one that begins with it. */
  async createLink(personId: string, by: string): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const code = newToken(personId);
    const expiresAt = this.#options.clock.now() + linkMs;
    const wanted = { digest: this.#digestOf(code), keyId: personId, expiresAt, maker: undefined };
    await putLoginCode(this.#options.store, wanted, by);
    return { code, expiresAt };
  }

  /** Drops the sessions of these keys and people, which have ended, from the cache. */
  forget(holders: readonly string[]): void {
    for (const [digest, { session }] of this.#known) if (holders.includes(session.keyId)) this.#known.delete(digest);
  }

  async #credentialOf(credential: GivenCredential, address: string): Promise<LoginCredential> {
    if ('code' in credential) {
      const { code } = credential;
      return { keyId: keyIdIn(code), codeDigest: this.#digestOf(code) };
    }
    const { keyring } = this.#options;
    const { id } = await keyring.authenticate(`Bearer ${credential.key}`, address, badKey);
    return { keyId: id };
  }

  async #ofToken(token: string): Promise<{ readonly session: LoginSession; readonly digest: Buffer } | undefined> {
    for (const secretKey of this.#options.secretKeys) {
      const digest = this.#digestOf(token, secretKey);
      const session = await this.#find(digest);
      if (session?.keyId === keyIdIn(token)) return { session, digest };
    }
    return undefined;
  }

  #digestOf(text: string, secretKey = this.#options.secretKeys[0] ?? Buffer.alloc(0)): Buffer {
    return createHmac('sha256', secretKey).update(text).digest();
  }

  async #find(digest: Buffer): Promise<LoginSession | undefined> {
    const known = this.#known.get(digest.toString('hex'));
    if (known !== undefined && this.#options.clock.monotonic() - known.readAt < freshMs) return known.session;
    const session = await findLoginSession(this.#options.store, digest);
    if (session === undefined) this.#known.delete(digest.toString('hex'));
    else this.#keep(digest, session);
    return session;
  }

  #keep(digest: Buffer, session: LoginSession): void {
    this.#known.set(digest.toString('hex'), { session, readAt: this.#options.clock.monotonic() });
  }

  async #nameOf(keyId: string): Promise<string> {
    const holder = await this.#options.keyring.find(keyId);
    return holder?.by ?? keyId;
  }
}

const idLength = 12;

const randomText = (): string => randomBytes(32).toString('base64url');

const newToken = (keyId: string): string => `${keyId}.${randomText()}`;

const keyIdIn = (token: string): string => token.slice(0, Math.max(0, token.lastIndexOf('.')));

const principalOf = (key: Principal, { id, expiresAt }: LoginSession, digest: Buffer): SessionPrincipal => ({
  ...key,
  session: { id, expiresAt: Math.min(expiresAt, key.expiresAt ?? expiresAt), digest },
});

const lineTooLong = `This session is the last of ${sessionLineMax}, each made by the one before. Log in with an API key to make another one.`;

const badKey = (): ProblemError => new ProblemError('unauthenticated', 'This is not a valid API key.');

const badCode = (): ProblemError =>
  new ProblemError(
    'unauthenticated',
    'The code was used before, or has expired: `baton open` makes another one. Or log in with an API key.',
  );
