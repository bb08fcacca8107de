import * as z from 'zod';

import { route } from '../route.ts';
import { KeySchema, MadeKeySchema, NewKeySchema } from '../schemas/key.ts';
import { PageQuerySchema } from '../schemas/parameters.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Keys';
const access: Access = ['admin'];

export const keyRoutes = {
  listKeys: route('listKeys', {
    tag,
    summary: 'List keys',
    description: 'Oldest first, also those that are revoked or have expired.',
    access,
    query: PageQuerySchema,
    answers: { 200: pageOf(KeySchema) },
  }),
  getKey: route('getKey', {
    tag,
    summary: 'Show a key, without what is secret of it',
    access,
    params: ByIdSchema,
    answers: { 200: KeySchema },
  }),
  createKey: route('createKey', {
    tag,
    summary: 'Make a key',
    access,
    body: NewKeySchema,
    answers: { 201: MadeKeySchema },
  }),
  revokeKey: route('revokeKey', {
    tag,
    summary: 'Revoke a key',
    description: 'For good. It takes effect here at once, and within seconds on other orchestrators.',
    access,
    params: ByIdSchema,
    answers: { 204: z.null() },
  }),
};
