import { limits } from '@baton/language';
import * as z from 'zod';

import { storable } from './parameters.ts';
import type { Exact } from './values.ts';
import { InstantSchema } from './values.ts';

/** What references can name: `secrets.NAME`, `${secret:NAME}`. */
export const secretNameForm = /^[A-Za-z_][\w.-]{0,127}$/;

const valueCharacters = 64 * 1024;

export const SecretValueSchema = z
  .strictObject({ value: storable(z.string().min(limits.secret.charactersMin).max(valueCharacters)) })
  .meta({ id: 'SecretValue' });

export const SecretSchema = z
  .strictObject({
    name: z.string(),
    version: z.int().meta({ description: 'Counted from 1 each time it is set.' }),
    setBy: z.string().meta({ description: 'Of the key.' }),
    setAt: InstantSchema,
  })
  .meta({ id: 'Secret', description: 'What can be told of a secret: everything but its value.' });

export type Secret = Exact<z.output<typeof SecretSchema>>;
