/** Operations of people: add, grant, remove. A caller gives no right, and handles no person, beyond what it has. */
import { type Person as PersonAnswer, type Received, instant, ProblemError, routes } from '@baton/api';
import {
  type Person,
  type Store,
  type StoredGrant,
  addPerson as storePerson,
  changeGrants,
  getPerson as readPerson,
  listPeople as readPeople,
  PersonNameTakenError,
  removePerson as storeRemoval,
  restorePerson as storeReturn,
} from '@baton/store';

import { isWritableName } from '../keys/actor.ts';
import { checkGiver, checkGrants, mayGive } from '../keys/giving.ts';
import { newPersonId } from '../keys/holderPrincipal.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { LoginSessions } from '../keys/loginSessions.ts';
import type { Roles } from '../keys/roles.ts';
import type { Principal } from '../keys/scopes.ts';
import type { LoginRevoker } from '../logins/loginRevoker.ts';
import { grantId, shownPerson, storedGrant, uniqueGrants } from '../shapes/person.ts';
import { ofInstallation, operation } from './operation.ts';
import { type PageInput, pageIn } from './page.ts';
import { type ById, allReached } from './reach.ts';

interface PersonParts {
  readonly store: Store;
  readonly roles: Roles;
  readonly keyring: Pick<Keyring, 'forget'>;
  readonly sessions: Pick<LoginSessions, 'createLink' | 'forget'>;
  readonly revoker: Pick<LoginRevoker, 'wake'>;
}

const grantsMax = 50;

export const listPeople = operation(routes.listPeople, {
  reach: allReached,
  effects: 'none',
  perform: async ({ store, roles }: PersonParts, caller, page: PageInput) => {
    const people = await readPeople(store);
    return pageIn(people.filter((person) => isHandledBy(caller, person, roles)).map(shownPerson), page);
  },
});

export const addPerson = operation(routes.addPerson, {
  reach: async ({ roles }: PersonParts, caller, { name, grants = [] }: Received<typeof routes.addPerson>['body']) => {
    if (!isWritableName(name))
      throw wrongName('A name must not have brackets, invisible characters or look-alike characters.');
    checkGiver(caller);
    checkGrants(caller, grants, { roles, pointer: '/grants' });
    return grants.map(storedGrant);
  },
  effects: 'none',
  perform: async ({ store }, { by }, { name }, grants) => {
    const added = storePerson(store, { id: newPersonId(), name, grants: uniqueGrants(grants) }, by);
    return shownPerson(
      await added.catch(whereNameTaken(`There is a person ${JSON.stringify(name)} already. Choose another name.`)),
    );
  },
});

export const getPerson = operation(routes.getPerson, {
  reach: handledPerson,
  effects: 'none',
  perform: async (_parts, _caller, _input, person) => shownPerson(person),
});

export const removePerson = operation(routes.removePerson, {
  reach: handledPerson,
  effects: 'none',
  perform: async ({ store, keyring, sessions, revoker }, { by }, { id }): Promise<void> => {
    const keys = (await storeRemoval(store, id, by)) ?? [];
    for (const holder of [id, ...keys]) keyring.forget(holder);
    sessions.forget([id, ...keys]);
    revoker.wake();
  },
});

export const restorePerson = ofInstallation(
  routes.restorePerson,
  async ({ store, keyring }: PersonParts, { id }: ById, { by }) => {
    await storeReturn(store, id, by).catch(
      whereNameTaken('Another person has the name of this one meanwhile. Remove them first.'),
    );
    keyring.forget(id);
    const person = await readPerson(store, id);
    if (person === undefined) throw noPerson(id);
    return shownPerson(person);
  },
);

export const createPersonLink = operation(routes.createPersonLink, {
  reach: async (parts: PersonParts, caller, input: ById) => {
    checkGiver(caller);
    return handledPerson(parts, caller, input);
  },
  effects: 'none',
  perform: async ({ sessions }, { by }, { id }, { account }) => {
    if (account !== undefined)
      throw new ProblemError('conflict', 'This person logs in at their identity provider, and not with a link.');
    const { code, expiresAt } = await sessions.createLink(id, by);
    return { code, expiresAt: instant(expiresAt) };
  },
});

export const grantRole = operation(routes.grantRole, {
  reach: async (parts: PersonParts, caller, { id, ...grant }: ById & StoredGrant) => {
    checkGiver(caller);
    const person = await handledPerson(parts, caller, { id });
    checkGrants(caller, [grant], { roles: parts.roles, pointer: '' });
    return person;
  },
  effects: 'none',
  perform: async (parts, { by }, { id, ...grant }) =>
    changed(parts, id, {
      action: 'person.granted',
      by,
      next: (before) => {
        const next = uniqueGrants([...before, storedGrant(grant)]);
        if (next.length > grantsMax)
          throw new ProblemError('conflict', `A person has at most ${grantsMax} grants. Take one away first.`);
        return next;
      },
    }),
});

export const revokeGrant = operation(routes.revokeGrant, {
  reach: handledPerson,
  effects: 'none',
  perform: async (parts, { by }, { id, grant }: ById & { readonly grant: string }): Promise<void> => {
    await changed(parts, id, {
      action: 'person.ungranted',
      by,
      next: (before) => {
        const next = before.filter((one) => grantId(one) !== grant);
        if (next.length < before.length) return next;
        throw new ProblemError(
          'not-found',
          `This person was given no grant ${JSON.stringify(grant.slice(0, 80))} here. What claims give is changed at the identity provider.`,
        );
      },
    });
  },
});

export const listRoles = ofInstallation(routes.listRoles, async ({ roles }: PersonParts, _input: unknown) => ({
  data: Object.entries(roles.all).map(([id, scopes]) => ({ id, scopes: [...scopes] })),
}));

/** Rethrows what is not the name. */
const whereNameTaken =
  (detail: string) =>
  (error: unknown): never => {
    throw error instanceof PersonNameTakenError ? new ProblemError('conflict', detail) : error;
  };

async function changed(
  { store, keyring, sessions }: PersonParts,
  id: string,
  change: Parameters<typeof changeGrants>[2],
): Promise<PersonAnswer> {
  const person = await changeGrants(store, id, change);
  if (person === undefined) throw noPerson(id);
  keyring.forget(id);
  sessions.forget([id]);
  return shownPerson(person);
}

/** The person, whom the caller may handle. Others do not exist for it. Rejects with `ProblemError`. */
async function handledPerson({ store, roles }: PersonParts, caller: Principal, { id }: ById): Promise<Person> {
  const person = await readPerson(store, id);
  if (person === undefined || person.removedAt !== undefined || !isHandledBy(caller, person, roles)) throw noPerson(id);
  return person;
}

/** A link logs in as the person, and a removal takes their rights: both are for callers that have these rights. */
const isHandledBy = (caller: Principal, person: Person, roles: Roles): boolean =>
  roles.rightsOf(person).every((rights) => mayGive(caller, rights));

const noPerson = (id: string): ProblemError =>
  new ProblemError('not-found', `There is no person ${JSON.stringify(id.slice(0, 80))}.`);

const wrongName = (message: string): ProblemError =>
  new ProblemError('validation-failed', message, { errors: [{ pointer: '/name', code: 'wrong-value', message }] });
