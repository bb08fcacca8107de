/** Converts people and their grants into the API's schemas, and back. */
import { type Grant, type Person as PersonAnswer, instant } from '@baton/api';
import { defined } from '@baton/primitives';
import { digestOf } from '@baton/protocol';
import type { Person, StoredGrant } from '@baton/store';

export interface GivenGrant {
  readonly role: string;
  readonly on?: readonly string[] | undefined;
  readonly effects?: StoredGrant['effects'] | undefined;
}

export const storedGrant = ({ role, on, effects }: GivenGrant): StoredGrant => ({
  role,
  ...(on && { on: [...new Set(on)].toSorted() }),
  ...defined({ effects }),
});

/** Equal grants have equal ids. */
export const grantId = ({ role, on, effects }: StoredGrant): string =>
  digestOf([role, on ?? null, effects ?? null]).slice(0, 12);

export const uniqueGrants = (grants: readonly StoredGrant[]): readonly StoredGrant[] => [
  ...new Map(grants.map((grant) => [grantId(grant), grant])).values(),
];

export function shownPerson(person: Person): PersonAnswer {
  const { id, name, createdBy, grants, claimed, createdAt, removedAt, seenAt, account } = person;
  const shown = (from: Grant['from'], all: readonly StoredGrant[]): Grant[] =>
    all.map(({ on, ...grant }) => ({
      id: grantId({ ...grant, ...(on && { on }) }),
      ...grant,
      ...(on && { on: [...on] }),
      from,
    }));
  return {
    id,
    name,
    createdBy,
    ...defined({ account }),
    grants: [...shown('here', grants), ...shown('claims', claimed)],
    createdAt: instant(createdAt),
    ...(removedAt === undefined ? {} : { removedAt: instant(removedAt) }),
    ...(seenAt === undefined ? {} : { seenAt: instant(seenAt) }),
  };
}
