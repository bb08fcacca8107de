import * as z from 'zod';

import { route } from '../route.ts';
import { ConditionsSchema, PageQuerySchema } from '../schemas/parameters.ts';
import { SecretSchema, SecretValueSchema } from '../schemas/secret.ts';
import { ByNameSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Secrets';
const access = ['secrets:write'] as const satisfies Access;

export const secretRoutes = {
  listSecrets: route('listSecrets', {
    tag,
    summary: 'List secrets',
    description: 'Ordered by name.',
    access,
    query: PageQuerySchema,
    answers: { 200: pageOf(SecretSchema) },
  }),
  getSecret: route('getSecret', {
    tag,
    summary: 'Show a secret, without its value',
    access,
    params: ByNameSchema,
    answers: { 200: SecretSchema },
  }),
  setSecret: route('setSecret', {
    tag,
    summary: 'Set a secret',
    description: 'Webhooks signed with the previous value are still accepted for a day.',
    access,
    params: ByNameSchema,
    headers: ConditionsSchema,
    body: SecretValueSchema,
    answers: { 200: SecretSchema, 201: SecretSchema },
  }),
  deleteSecret: route('deleteSecret', {
    tag,
    summary: 'Delete a secret',
    access,
    params: ByNameSchema,
    headers: ConditionsSchema,
    answers: { 204: z.null() },
  }),
};
