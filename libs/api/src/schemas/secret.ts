import { limits } from '@baton/expressions';
import * as z from 'zod';

import { storable } from './parameters.ts';
import { type Exact, InstantSchema, WorkflowPatternSchema } from './values.ts';

/** Names of secrets in references: `secrets.NAME`, `${secret:NAME}`. */
export const secretNameForm = /^[A-Za-z_][\w.-]{0,127}$/;

const valueCharacters = 64 * 1024;
const { charactersMin } = limits.secret;

const boundMax = 100;

const WorkflowsSchema = z.array(WorkflowPatternSchema).max(boundMax);
/** A server, a model provider or a callback host. Names of servers have no slash. */
const receiverForm = /^(?:[A-Za-z0-9][\w.-]{0,62}|models\/[\w-]{1,200}|callbacks\/[\w.:[\]-]{1,253})$/;

const ServersSchema = z
  .array(z.string().regex(receiverForm, 'the name of a server, models/PROVIDER or callbacks/HOST'))
  .max(boundMax);

export const SecretValueSchema = z
  .strictObject({
    // A server may repeat it without the spaces around it, and what is left could not be hidden.
    value: storable(z.string().min(charactersMin).max(valueCharacters))
      .refine((value) => value.trim().length >= charactersMin, `at least ${charactersMin} characters between spaces`)
      .optional()
      .meta({ description: 'Absent to keep the current value.' }),
    workflows: WorkflowsSchema.nullable().optional().meta({
      description: 'The only deployed workflows that may use it; null for all. Absent to keep the setting.',
    }),
    servers: ServersSchema.nullable().optional().meta({
      description:
        'The only ones that may receive it: servers, `models/PROVIDER`, `callbacks/HOST`; null for all. Absent to keep the setting.',
    }),
  })
  .refine((body) => Object.values(body).some((one) => one !== undefined), 'a value, workflows or servers')
  .meta({ id: 'SecretValue', writeOnly: true });

export const SecretSchema = z
  .strictObject({
    name: z.string(),
    version: z.int().meta({ description: 'Starts at 1 and grows each time the secret is set.' }),
    workflows: WorkflowsSchema.optional().meta({ description: 'The only workflows that may use it; absent for all.' }),
    servers: ServersSchema.optional().meta({ description: 'The only servers that may receive it; absent for all.' }),
    setBy: z.string().meta({ description: 'Name of the key that set it.' }),
    setAt: InstantSchema,
  })
  .meta({ id: 'Secret', description: 'A secret without its value.' });

export type Secret = Exact<z.output<typeof SecretSchema>>;
