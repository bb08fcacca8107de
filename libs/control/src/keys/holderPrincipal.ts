/** What a key or a person may do, of what is stored of them. */
import { type Effect, effectStrength, sessionWorkflow } from '@baton/language';
import { type ApiKey, type Person, type Store, getApiKey, getPerson, writtenId } from '@baton/store';

import { type Actor, writtenAs } from './actor.ts';
import { reachedOf } from './keyAccess.ts';
import { makeId } from './keyText.ts';
import { sumOf } from './narrowing.ts';
import type { Roles } from './roles.ts';
import { type Principal, type Rights, may } from './scopes.ts';

/** Who is behind an id: a key, with the person whose key it is, or a person. */
export interface Holder {
  readonly key?: ApiKey | undefined;
  readonly person?: Person | undefined;
}

/** Rejects with `UnavailableError`. */
export async function readHolder(store: Store, id: string): Promise<Holder> {
  if (isPersonId(id)) return { person: await getPerson(store, id) };
  const key = await getApiKey(store, id);
  return { key, person: key?.person === undefined ? undefined : await getPerson(store, key.person) };
}

export function holderPrincipal(id: string, { key, person }: Holder, roles: Roles): Principal {
  if (key === undefined) return person === undefined ? ofKey(id, undefined) : ofPerson(person, roles);
  if (person === undefined) return ofKey(id, key);
  // A key may do nothing that its person may not.
  const grants = roles.rightsOf(person).flatMap((rights) => sharedBy(rights, ofKey(id, key)));
  const actor = { ...personActor(person), via: { id, name: key.name } };
  return { ...ofKey(id, key), ...sumOf(grants), actor, by: writtenAs(actor) };
}

function ofPerson(person: Person, roles: Roles): Principal {
  const actor = personActor(person);
  return { ...sumOf(roles.rightsOf(person)), id: person.id, name: person.name, actor, by: writtenAs(actor) };
}

function ofKey(id: string, key: ApiKey | undefined): Principal {
  const actor = { kind: 'key', id, name: key?.name ?? '' } as const;
  return {
    id,
    name: actor.name,
    actor,
    by: writtenAs(actor),
    scopes: new Set(key?.scopes),
    workflows: key && workflowsOf(key),
    effects: key?.effects,
    approve: key?.approve,
    limits: key?.limits,
    expiresAt: key?.expiresAt,
  };
}

/** Undefined: all. A key made before the name was reserved could see the sessions of others by it. */
const workflowsOf = ({ workflows }: ApiKey): Rights['workflows'] =>
  workflows.length === 0 ? undefined : new Set(workflows.filter((one) => one !== sessionWorkflow));

const personPrefix = 'person-';

/** No key has such an id. */
export const isPersonId = (id: string): boolean => id.startsWith(personPrefix);

export const newPersonId = (): string => `${personPrefix}${makeId()}`;

/** Whom journals and the audit name: the subject at the issuer, or a person who was made by hand. */
export const personActor = ({ id, name, account }: Pick<Person, 'id' | 'name' | 'account'>): Actor => ({
  kind: 'person',
  id: writtenId({ id, ...account }),
  name,
});

/** What both allow; none where they share no workflow. */
function sharedBy(one: Rights, other: Rights): readonly Rights[] {
  const scopes = [...roleScopesOf(one, other)];
  const workflows = sharedWorkflows(one, other);
  if (scopes.length === 0 || workflows?.size === 0) return [];
  return [{ scopes: new Set(scopes), workflows, effects: weaker(one.effects, other.effects) }];
}

/** A key has no scope for values: it sees those that its person sees. */
function roleScopesOf(person: Rights, key: Rights): readonly string[] {
  const values = may(person, ['runs:values']) ? ['runs:values'] : [];
  if (person.scopes.has('admin')) return [...key.scopes, ...values];
  if (key.scopes.has('admin')) return [...person.scopes];
  return [...[...key.scopes].filter((scope) => person.scopes.has(scope)), ...values];
}

function sharedWorkflows(one: Rights, other: Rights): Rights['workflows'] {
  if (one.workflows === undefined || other.workflows === undefined) return one.workflows ?? other.workflows;
  return new Set(reachedOf(one, [...other.workflows]));
}

const weaker = (one: Effect | undefined, other: Effect | undefined): Effect | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  return effectStrength[one] < effectStrength[other] ? one : other;
};
