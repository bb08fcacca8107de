/**
 * Authenticates requests. It reads a key from Postgres once in a few seconds, however often it is used. Revoking a key
 * takes effect everywhere within that time, and here at once.
 *
 * It checks the key before it counts the address, so wrong keys from the same address do not block a valid key,
 * which may be a shared proxy. Only refused attempts are counted and slowed down.
 */
import { timingSafeEqual } from 'node:crypto';

import { ProblemError } from '@baton/api';
import { NewestMap } from '@baton/primitives';

import type { AddressCounts } from './addressCounts.ts';
import { type Holder, holderPrincipal } from './holderPrincipal.ts';
import { credentialOf, type Credential } from './keyText.ts';
import type { Roles } from './roles.ts';
import { type Principal, haveSameRights } from './scopes.ts';

/** How long a key that was read is cached. */
const freshMs = 5_000;
const keptMax = 10_000;

interface CachedHolder extends Holder {
  readonly principal: Principal;
  readonly readAt: number;
}

export interface KeyringOptions {
  /** Rejects with `UnavailableError`. */
  readonly load: (id: string) => Promise<Holder>;
  readonly roles: Roles;
  readonly failures: AddressCounts;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Epoch milliseconds, to check expiry. */
  readonly now: () => number;
  /** Called with the id of a key or person that is dropped from the cache. */
  readonly onForgotten?: (id: string) => void;
}

export class Keyring {
  readonly #options: KeyringOptions;
  readonly #known = new NewestMap<string, CachedHolder>(keptMax);
  /** A cache of its own, so that guesses push no valid key out of `#known`. */
  readonly #unknown = new NewestMap<string, CachedHolder>(keptMax);
  readonly #loading = new Map<string, Promise<CachedHolder>>();
  #used = new Set<string>();

  constructor(options: KeyringOptions) {
    this.#options = options;
  }

  /**
   * Immediate if the key was used lately. Throws or rejects with the same `ProblemError` for every wrong key (that of
   * `refusal`), and with `UnavailableError`.
   */
  authenticate(
    authorization: string | undefined,
    address: string,
    refusal: () => ProblemError = unauthenticated,
  ): Principal | Promise<Principal> {
    const credential = authorization === undefined ? undefined : credentialIn(authorization);
    if (credential === undefined) throw authorization === undefined ? refusal() : this.refuse(address, refusal());
    const judge = (loaded: CachedHolder): Principal => {
      const principal = this.#judge(loaded, credential);
      if (principal === undefined) throw this.refuse(address, refusal());
      return principal;
    };
    const known = this.#fresh(credential.id);
    return known === undefined ? this.#load(credential.id).then(judge) : judge(known);
  }

  /** Resolves to the key or the person with that id; undefined if they are not valid. Rejects with `UnavailableError`. */
  async find(id: string): Promise<Principal | undefined> {
    const holder = this.#fresh(id) ?? (await this.#load(id));
    if (!this.#isValid(holder)) return undefined;
    this.#noteUse(holder);
    return holder.principal;
  }

  /** Counts a wrong key of the address, and returns the answer: `refusal`, or that there were too many. */
  refuse(address: string, refusal: ProblemError): ProblemError {
    const { failures } = this.#options;
    const tooMany = failures.refusal(address, 'Too many requests with a wrong key came from this address.');
    if (tooMany === undefined) failures.note(address);
    return tooMany ?? refusal;
  }

  /**
   * Whether the caller may still do and see what it could when `principal` was admitted, for long-lived streams. Rejects
   * with `UnavailableError`.
   */
  async isGood(principal: Principal): Promise<boolean> {
    const holder = this.#fresh(principal.id) ?? (await this.#load(principal.id));
    return this.#isValid(holder) && haveSameRights(holder.principal, principal);
  }

  /** Drops the key, or the person with their keys, from the cache. */
  forget(id: string): void {
    this.#options.onForgotten?.(id);
    this.#drop(id);
    for (const [keyId, { key }] of this.#known) if (key?.person === id) this.#drop(keyId);
  }

  #drop(id: string): void {
    this.#known.delete(id);
    this.#unknown.delete(id);
  }

  /** Notes that a person of another server did something. */
  noteUseOf(id: string): void {
    this.#used.add(id);
  }

  /** The ids of keys and of people that were used since the last call. */
  takeUsed(): readonly string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }

  #noteUse({ key, person }: Holder): void {
    for (const used of [key, person]) if (used !== undefined) this.#used.add(used.id);
  }

  #fresh(id: string): CachedHolder | undefined {
    const known = this.#known.get(id) ?? this.#unknown.get(id);
    return known !== undefined && this.#options.monotonic() - known.readAt < freshMs ? known : undefined;
  }

  #load(id: string): Promise<CachedHolder> {
    const loading = this.#loading.get(id) ?? this.#read(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  async #read(id: string): Promise<CachedHolder> {
    const readAt = this.#options.monotonic();
    const holder = await this.#options.load(id);
    const known = { ...holder, principal: holderPrincipal(id, holder, this.#options.roles), readAt };
    this.#drop(id);
    (holder.key === undefined && holder.person === undefined ? this.#unknown : this.#known).set(id, known);
    return known;
  }

  #judge(holder: CachedHolder, { secretHash }: Credential): Principal | undefined {
    const { key, principal } = holder;
    const isRight = timingSafeEqual(key?.secretHash ?? noKey, secretHash);
    if (key === undefined || !isRight || !this.#isValid(holder)) return undefined;
    this.#noteUse(holder);
    return principal;
  }

  #isValid({ key, person }: Holder): boolean {
    const isPersonGood = person !== undefined && person.removedAt === undefined;
    if (key === undefined) return isPersonGood;
    const { revokedAt, expiresAt } = key;
    if (key.person !== undefined && !isPersonGood) return false;
    return revokedAt === undefined && (expiresAt === undefined || expiresAt > this.#options.now());
  }
}

/** Compared when the key is unknown, so that the answer takes the same time. */
const noKey = Buffer.alloc(32);

function credentialIn(authorization: string): Credential | undefined {
  const [, text] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization) ?? [];
  return text === undefined ? undefined : credentialOf(text);
}

export const unauthenticated = (): ProblemError =>
  new ProblemError('unauthenticated', 'Send a valid API key as "Authorization: Bearer <key>".', {
    headers: { 'www-authenticate': 'Bearer realm="baton"' },
  });
