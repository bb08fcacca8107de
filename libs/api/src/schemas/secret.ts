import { limits } from '@baton/language';
import * as z from 'zod';

import { storable } from './parameters.ts';
import type { Exact } from './values.ts';
import { InstantSchema, WorkflowNameSchema } from './values.ts';

/** What references can name: `secrets.NAME`, `${secret:NAME}`. */
export const secretNameForm = /^[A-Za-z_][\w.-]{0,127}$/;

const valueCharacters = 64 * 1024;

const boundMax = 100;

const WorkflowsSchema = z.array(WorkflowNameSchema).max(boundMax);
const ServersSchema = z.array(z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'the name of a server')).max(boundMax);

export const SecretValueSchema = z
  .strictObject({
    value: storable(z.string().min(limits.secret.charactersMin).max(valueCharacters))
      .optional()
      .meta({ description: 'Absent: it stays what it is, and must have been set.' }),
    workflows: WorkflowsSchema.nullable().optional().meta({
      description: 'The only deployed workflows that may use it; null: all. Absent: as set before.',
    }),
    servers: ServersSchema.nullable().optional().meta({
      description: 'The only servers that may be given it; null: all. Absent: as set before.',
    }),
  })
  .refine((body) => Object.values(body).some((one) => one !== undefined), 'a value, workflows or servers')
  .meta({ id: 'SecretValue' });

export const SecretSchema = z
  .strictObject({
    name: z.string(),
    version: z.int().meta({ description: 'Counted from 1 each time it is set.' }),
    workflows: WorkflowsSchema.optional().meta({ description: 'The only workflows that may use it; absent: all.' }),
    servers: ServersSchema.optional().meta({ description: 'The only servers that may be given it; absent: all.' }),
    setBy: z.string().meta({ description: 'Of the key.' }),
    setAt: InstantSchema,
  })
  .meta({ id: 'Secret', description: 'What can be told of a secret: everything but its value.' });

export type Secret = Exact<z.output<typeof SecretSchema>>;
