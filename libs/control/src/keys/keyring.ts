/**
 * Authenticates requests. It reads a key from Postgres once in a few seconds, however often it is used. Revoking a key
 * takes effect everywhere within that time, and here at once.
 *
 * It checks the key before it counts the address, so wrong keys from the same address do not block a valid key,
 * which may be a shared proxy. Only refused attempts are counted and slowed down.
 */
import { timingSafeEqual } from 'node:crypto';

import { ProblemError } from '@baton/api';
import { sessionWorkflow } from '@baton/language';
import { NewestMap } from '@baton/primitives';
import type { ApiKey } from '@baton/store';

import type { AddressCounts } from './addressCounts.ts';
import { credentialOf, type Credential } from './keyText.ts';
import type { Principal } from './scopes.ts';

/** How long a key that was read is cached. */
const freshMs = 5_000;
const keptMax = 10_000;

interface CachedKey {
  readonly key: ApiKey | undefined;
  readonly principal: Principal;
  readonly readAt: number;
}

export interface KeyringOptions {
  /** Rejects with `UnavailableError`. */
  readonly load: (id: string) => Promise<ApiKey | undefined>;
  readonly failures: AddressCounts;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Epoch milliseconds, to check expiry. */
  readonly now: () => number;
}

export class Keyring {
  readonly #options: KeyringOptions;
  readonly #known = new NewestMap<string, CachedKey>(keptMax);
  /** A cache of its own, so that guesses push no valid key out of `#known`. */
  readonly #unknown = new NewestMap<string, CachedKey>(keptMax);
  readonly #loading = new Map<string, Promise<CachedKey>>();
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
    const judge = (loaded: CachedKey): Principal => {
      const principal = this.#judge(loaded, credential);
      if (principal === undefined) throw this.refuse(address, refusal());
      return principal;
    };
    const known = this.#fresh(credential.id);
    return known === undefined ? this.#load(credential.id).then(judge) : judge(known);
  }

  /** Resolves to the key with that id; undefined if it is not valid. Rejects with `UnavailableError`. */
  async find(id: string): Promise<Principal | undefined> {
    const { key, principal } = this.#fresh(id) ?? (await this.#load(id));
    if (key === undefined || !this.#isValid(key)) return undefined;
    this.#used.add(id);
    return principal;
  }

  /** Counts a wrong key of the address, and returns the answer: `refusal`, or that there were too many. */
  refuse(address: string, refusal: ProblemError): ProblemError {
    const { failures } = this.#options;
    const waitMs = failures.waitMs(address);
    if (waitMs > 0) return tooMany(waitMs);
    failures.note(address);
    return refusal;
  }

  /** Whether the key is still valid, for long-lived streams. Rejects with `UnavailableError`. */
  async isGood({ id }: Principal): Promise<boolean> {
    const { key } = this.#fresh(id) ?? (await this.#load(id));
    return key !== undefined && this.#isValid(key);
  }

  /** Drops the key from the cache. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#unknown.delete(id);
  }

  /** The keys that were used since the last call. */
  takeUsed(): readonly string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }

  #fresh(id: string): CachedKey | undefined {
    const known = this.#known.get(id) ?? this.#unknown.get(id);
    return known !== undefined && this.#options.monotonic() - known.readAt < freshMs ? known : undefined;
  }

  #load(id: string): Promise<CachedKey> {
    const loading = this.#loading.get(id) ?? this.#read(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  async #read(id: string): Promise<CachedKey> {
    const readAt = this.#options.monotonic();
    const key = await this.#options.load(id);
    const known = { key, principal: principalOf(id, key), readAt };
    this.forget(id);
    (key === undefined ? this.#unknown : this.#known).set(id, known);
    return known;
  }

  #judge({ key, principal }: CachedKey, { secretHash }: Credential): Principal | undefined {
    const isRight = timingSafeEqual(key?.secretHash ?? noKey, secretHash);
    if (key === undefined || !isRight || !this.#isValid(key)) return undefined;
    this.#used.add(key.id);
    return principal;
  }

  #isValid({ revokedAt, expiresAt }: ApiKey): boolean {
    return revokedAt === undefined && (expiresAt === undefined || expiresAt > this.#options.now());
  }
}

/** Undefined: all. A key made before the name was reserved could see the sessions of others by it. */
const workflowsOf = ({ workflows }: ApiKey): Principal['workflows'] =>
  workflows.length === 0 ? undefined : new Set(workflows.filter((one) => one !== sessionWorkflow));

const principalOf = (id: string, key: ApiKey | undefined): Principal => ({
  id,
  name: key?.name ?? '',
  by: writtenAs({ id, name: key?.name ?? '' }),
  scopes: new Set(key?.scopes),
  workflows: key && workflowsOf(key),
  effects: key?.effects,
  approve: key?.approve,
  limits: key?.limits,
  expiresAt: key?.expiresAt,
});

/** How journals and the audit write a key. */
export const writtenAs = ({ id, name }: Pick<ApiKey, 'id' | 'name'>): string => `${name} (${id})`;

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

const tooMany = (waitMs: number): ProblemError =>
  new ProblemError('rate-limited', 'Too many requests with a wrong key came from this address.', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  });
