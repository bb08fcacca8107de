import * as z from 'zod';

import { route } from '../route.ts';
import { KeySchema, MadeKeySchema, NewKeySchema } from '../schemas/key.ts';
import { PageQuerySchema } from '../schemas/parameters.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Keys';
const access = ['admin'] as const satisfies Access;

export const keyRoutes = {
  listKeys: route('listKeys', {
    tag,
    summary: 'List API keys',
    description: 'Oldest first, including revoked and expired keys.',
    access,
    query: PageQuerySchema,
    answers: { 200: pageOf(KeySchema) },
  }),
  getKey: route('getKey', {
    tag,
    summary: 'Show an API key, without its secret',
    access,
    params: ByIdSchema,
    answers: { 200: KeySchema },
  }),
  createKey: route('createKey', {
    tag,
    summary: 'Create an API key',
    access,
    body: NewKeySchema,
    answers: { 201: MadeKeySchema },
  }),
  revokeKey: route('revokeKey', {
    tag,
    summary: 'Revoke an API key',
    description: 'This cannot be undone. It takes effect on this orchestrator at once, on others within seconds.',
    access,
    params: ByIdSchema,
    answers: { 204: z.null() },
  }),
};
