/**
 * People for whom another authorization server speaks, with each token. What its claims give is good for that token alone:
 * it is neither kept with the person, nor good for their sessions and keys.
 */
import { type JsonObject, NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type Database, type Person, ensureAccount, getPerson } from '@baton/store';

import { writtenAs } from '../keys/actor.ts';
import { holderPrincipal, newPersonId, personActor } from '../keys/holderPrincipal.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Roles } from '../keys/roles.ts';
import type { Principal, TokenGrants } from '../keys/scopes.ts';
import { accountName } from './accountName.ts';

/** How long a person who was read is cached, as a key is. */
const freshMs = 5_000;
const keptMax = 10_000;

interface IssuedPeopleOptions {
  readonly store: Database;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly roles: Roles;
  readonly keyring: Pick<Keyring, 'noteUseOf'>;
  /** The server, as it calls itself. */
  readonly issuer: string;
}

interface CachedPerson {
  readonly person: Person | undefined;
  readonly readAt: number;
}

export class IssuedPeople {
  readonly #options: IssuedPeopleOptions;
  readonly #known = new NewestMap<string, CachedPerson>(keptMax);
  /** By subject; it does not change. */
  readonly #ids = new NewestMap<string, string>(keptMax);

  constructor(options: IssuedPeopleOptions) {
    this.#options = options;
  }

  /** The person of the claims, added if they are not known yet. Undefined: they were removed. */
  async admit(claims: JsonObject & { readonly sub: string }, said: TokenGrants): Promise<Principal | undefined> {
    return this.find(this.#ids.get(claims.sub) ?? (await this.#ensure(claims)), said);
  }

  /** Undefined: they were removed, or are of another server. */
  async find(id: string, said: TokenGrants): Promise<Principal | undefined> {
    const person = await this.#person(id);
    if (person === undefined || person.removedAt !== undefined) return undefined;
    if (person.account?.issuer !== this.#options.issuer) return undefined;
    this.#options.keyring.noteUseOf(id);
    const { claimed, isByClaims } = said;
    const grants = isByClaims ? [] : person.grants;
    return holderPrincipal(id, { person: { ...person, grants, claimed } }, this.#options.roles);
  }

  /** Drops the person from the cache. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  async #ensure(claims: JsonObject & { readonly sub: string }): Promise<string> {
    const account = { issuer: this.#options.issuer, subject: claims.sub };
    const [id, name] = [newPersonId(), accountName(claims, claims.sub)];
    const added = { id, by: writtenAs(personActor({ id, name, account })) };
    const person = await ensureAccount(this.#options.store, { account, name, added });
    this.#ids.set(claims.sub, person.id);
    return person.id;
  }

  async #person(id: string): Promise<Person | undefined> {
    const { store, clock } = this.#options;
    const known = this.#known.get(id);
    const readAt = clock.monotonic();
    if (known !== undefined && readAt - known.readAt < freshMs) return known.person;
    const person = await getPerson(store, id);
    this.#known.set(id, { person, readAt });
    return person;
  }
}
