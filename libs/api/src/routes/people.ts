import * as z from 'zod';

import { route } from '../route.ts';
import { PageQuerySchema } from '../schemas/parameters.ts';
import { NewGrantSchema, NewPersonSchema, PersonSchema, RoleSchema } from '../schemas/person.ts';
import { LoginCodeSchema } from '../schemas/session.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'People';
const access = ['people:write'] as const satisfies Access;

export const personRoutes = {
  listPeople: route('listPeople', {
    tag,
    summary: 'List people and what they may do',
    description: 'Oldest first, without those who have more rights than the caller.',
    access,
    query: PageQuerySchema,
    answers: { 200: pageOf(PersonSchema) },
  }),
  addPerson: route('addPerson', {
    tag,
    summary: 'Add a person by hand',
    description: 'A link logs them in: see `createPersonLink`. Grants may give what the caller has, and no more.',
    access,
    body: NewPersonSchema,
    answers: { 201: PersonSchema },
  }),
  getPerson: route('getPerson', {
    tag,
    summary: 'Show a person',
    access,
    params: ByIdSchema,
    answers: { 200: PersonSchema },
  }),
  removePerson: route('removePerson', {
    tag,
    summary: 'Remove a person',
    description:
      'Ends their sessions and revokes their keys, on this orchestrator at once, on others within seconds. Their identity provider cannot log them in again.',
    access,
    params: ByIdSchema,
    answers: { 204: z.null() },
  }),
  restorePerson: route('restorePerson', {
    tag,
    summary: 'Let a person in again who was removed',
    description: 'With the grants that they had. Their keys stay revoked.',
    access: ['admin'],
    params: ByIdSchema,
    answers: { 200: PersonSchema },
  }),
  createPersonLink: route('createPersonLink', {
    tag,
    summary: 'Create a code that logs a person in once',
    description: 'It is valid for 15 minutes, and void when the grants of the person change.',
    access,
    params: ByIdSchema,
    answers: { 201: LoginCodeSchema },
  }),
  grantRole: route('grantRole', {
    tag,
    summary: 'Grant a role to a person',
    description: 'It may give what the caller has, and no more.',
    access,
    params: ByIdSchema,
    body: NewGrantSchema,
    answers: { 200: PersonSchema },
  }),
  revokeGrant: route('revokeGrant', {
    tag,
    summary: 'Take a grant from a person',
    access,
    params: z.strictObject({ id: z.string(), grant: z.string() }),
    answers: { 204: z.null() },
  }),
  listRoles: route('listRoles', {
    tag,
    summary: 'List roles and their scopes',
    access,
    answers: { 200: pageOf(RoleSchema) },
  }),
};
