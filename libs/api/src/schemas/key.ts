import { durationMs } from '@baton/language';
import * as z from 'zod';

import { scopes } from '../scopes.ts';
import { InstantTextSchema, storable } from './parameters.ts';
import { type Exact, EffectSchema, InstantSchema, WorkflowPatternSchema } from './values.ts';

const ageMaxMs = 10 * 366 * 24 * 3_600_000;

const KeyLimitsSchema = z
  .strictObject({
    runs: z.int().min(1).max(1_000_000).optional().meta({ description: 'Unfinished runs that the key started.' }),
    items: z.int().min(1).max(1_000_000_000).optional().meta({
      description: 'Items of all `forEach` steps of a run that the key starts, with those of its child runs.',
    }),
    checks: z.int().min(1).max(1_000_000).optional().meta({
      description: 'Workflows that the key checks, deploys or starts from their text, per minute.',
    }),
  })
  .meta({ id: 'KeyLimits' });

const limited = {
  workflows: z
    .array(WorkflowPatternSchema)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The only workflows that the key may use, as names or patterns; absent for all.' }),
  effects: EffectSchema.optional().meta({
    description:
      'The strongest effect of workflows that the key may start: `read` for read-only workflows. Absent for any.',
  }),
  approve: z.literal('write').optional().meta({
    description:
      'A person approves each write that the key makes at the gateway. Absent: only the servers’ policies ask.',
  }),
  limits: KeyLimitsSchema.optional().meta({ description: 'Limits of the key; absent for the settings’ limits.' }),
};

export const NewKeySchema = z
  .strictObject({
    name: storable(z.string().trim().min(1).max(100)),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
    ...limited,
    person: storable(z.string().min(1).max(100)).optional().meta({
      description: 'The id of the person whose key it is: it may do no more than they, and ends with them.',
    }),
    expiresAt: InstantTextSchema.optional(),
    expiresIn: z
      .string()
      .refine((text) => (durationMs(text) ?? Infinity) <= ageMaxMs, 'a duration such as 24h or 90d')
      .optional()
      .meta({ description: 'A duration, instead of `expiresAt`.' }),
  })
  .meta({ id: 'NewKey' });

export const KeySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    ...limited,
    person: z.string().optional().meta({ description: 'The id of the person whose key it is; absent: a service’s.' }),
    createdBy: z.string(),
    createdAt: InstantSchema,
    expiresAt: InstantSchema.optional(),
    revokedAt: InstantSchema.optional(),
    lastUsedAt: InstantSchema.optional(),
  })
  .meta({ id: 'Key' });

export type Key = Exact<z.output<typeof KeySchema>>;

export const MadeKeySchema = z
  .strictObject({
    ...KeySchema.shape,
    key: z.string().meta({ description: 'Shown only once.' }),
  })
  .meta({ id: 'MadeKey' });
