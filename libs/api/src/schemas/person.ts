/** Schemas of people, their grants, and roles. */
import * as z from 'zod';

import { roleScopes } from '../scopes.ts';
import { storable } from './parameters.ts';
import { type Exact, EffectSchema, InstantSchema, WorkflowPatternSchema } from './values.ts';

export const RoleNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'lower case letters, digits and hyphens, at most 63, the first a letter')
  .meta({ description: 'A role: viewer, operator, author, approver, admin, or one of the settings.' });

const grant = {
  role: RoleNameSchema,
  on: z
    .array(WorkflowPatternSchema)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The only workflows that it is for; absent for all.' }),
  effects: EffectSchema.optional().meta({
    description: 'The strongest effect of workflows that the person may start by it. Absent for any.',
  }),
};

export const NewGrantSchema = z.strictObject(grant).meta({ id: 'NewGrant' });

const GrantSchema = z
  .strictObject({
    id: z.string(),
    ...grant,
    from: z.enum(['here', 'claims']).meta({ description: '`claims`: the identity provider’s claims gave it.' }),
  })
  .meta({ id: 'Grant' });

export type Grant = Exact<z.output<typeof GrantSchema>>;

export const NewPersonSchema = z
  .strictObject({
    name: storable(z.string().trim().min(1).max(100)),
    grants: z.array(NewGrantSchema).max(50).optional(),
  })
  .meta({ id: 'NewPerson' });

export const PersonSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    account: z
      .strictObject({ issuer: z.string(), subject: z.string() })
      .optional()
      .meta({ description: 'At which identity provider they log in; absent: with links.' }),
    grants: z.array(GrantSchema),
    createdBy: z.string(),
    createdAt: InstantSchema,
    removedAt: InstantSchema.optional(),
    seenAt: InstantSchema.optional().meta({
      description: 'When they last did something; it may be later by a few minutes.',
    }),
  })
  .meta({ id: 'Person' });

export type Person = Exact<z.output<typeof PersonSchema>>;

export const RoleSchema = z
  .strictObject({ id: RoleNameSchema, scopes: z.array(z.enum(roleScopes)) })
  .meta({ id: 'Role' });

export type Role = Exact<z.output<typeof RoleSchema>>;
