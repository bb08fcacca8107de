/** API keys: made, listed, revoked. A key is shown once, when it is made. */
import { durationMs } from '@baton/language';
import type { Clock } from '@baton/runner';
import type { ApiKey, Store } from '@baton/store';
import { getApiKey, listApiKeys, putApiKey, revokeApiKey } from '@baton/store';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { isStorableText } from '../http/jsonLimits.ts';
import { Cursor, Cursors, InstantText, Limit, limitUsual } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import type { Keyring } from '../keys/keyring.ts';
import { makeKey } from '../keys/keyText.ts';
import { scopes } from '../keys/scopes.ts';
import { Instant, instant, pageOf, WorkflowName } from '../shapes/values.ts';

const tags = ['Keys'];
const access: Access = ['admin'];

const ageMaxMs = 10 * 366 * 24 * 3_600_000;

const limited = {
  workflows: z
    .array(WorkflowName)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The only workflows that the key has to do with; absent: all.' }),
  effects: z
    .enum(['read', 'idempotent', 'write'])
    .optional()
    .meta({ description: 'The strongest effect of what it may start: `read` for read-only workflows. Absent: any.' }),
};

const NewKey = z
  .strictObject({
    name: z.string().trim().min(1).max(100).refine(isStorableText, 'well-formed text without NUL'),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
    ...limited,
    expiresAt: InstantText.optional(),
    expiresIn: z
      .string()
      .refine((text) => (durationMs(text) ?? Infinity) <= ageMaxMs, 'a duration such as 24h or 90d')
      .optional()
      .meta({ description: 'A duration, instead of `expiresAt`.' }),
  })
  .meta({ id: 'NewKey' });

const Key = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    ...limited,
    createdBy: z.string(),
    createdAt: Instant,
    expiresAt: Instant.optional(),
    revokedAt: Instant.optional(),
    lastUsedAt: Instant.optional(),
  })
  .meta({ id: 'Key' });

const MadeKey = z
  .strictObject({ ...Key.shape, key: z.string().meta({ description: 'Shown this once, and never again.' }) })
  .meta({ id: 'MadeKey' });

/** A text, so that what is no key's id is a key that does not exist. */
const ById = z.strictObject({ id: z.string() });

export interface KeyOptions {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

export function keyRoutes(app: App, options: KeyOptions): void {
  const { store, keyring, clock } = options;
  readingRoutes(app, options);
  app.post(
    '/v1/keys',
    {
      config: { access },
      schema: { tags, summary: 'Make a key', body: NewKey, response: { 201: MadeKey } },
    },
    async (request, reply) => {
      const { name, workflows, effects, ...body } = request.body;
      checkLimits(request.body);
      const expiresAt = expiryOf(body, clock.now());
      const { id, secretHash, text } = makeKey();
      await putApiKey(store, {
        id,
        name,
        secretHash,
        scopes: [...new Set(body.scopes)],
        createdBy: request.principal.by,
        ...(workflows && { workflows: [...new Set(workflows)] }),
        ...(effects && { effects }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      const made = await getApiKey(store, id);
      if (made === undefined) throw noKey(id);
      reply.code(201).header('location', `/v1/keys/${id}`);
      return { ...shown(made), key: text };
    },
  );
  app.delete(
    '/v1/keys/:id',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Revoke a key',
        description: 'For good. It takes effect here at once, and within seconds on other orchestrators.',
        params: ById,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const isRevoked = await revokeApiKey(store, id, request.principal.by);
      if (!isRevoked && (await getApiKey(store, id)) === undefined) throw noKey(id);
      keyring.forget(id);
      return reply.code(204).send(null);
    },
  );
}

function readingRoutes(app: App, { store }: KeyOptions): void {
  app.get(
    '/v1/keys',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List keys',
        description: 'Oldest first, also those that are revoked or have expired.',
        querystring: z.strictObject({ limit: Limit, cursor: Cursor }),
        response: { 200: pageOf(Key) },
      },
    },
    async ({ query: { limit = limitUsual, cursor } }) => {
      const cursors = new Cursors('keys', {});
      const after = cursors.read(cursor, (text) => text !== '');
      const all = await listApiKeys(store);
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const page = all.slice(from, from + limit);
      const last = page.at(-1);
      const next = last !== undefined && from + limit < all.length ? { nextCursor: cursors.write(last.id) } : {};
      return { data: page.map(shown), ...next };
    },
  );
  app.get(
    '/v1/keys/:id',
    {
      config: { access },
      schema: { tags, summary: 'Show a key, without what is secret of it', params: ById, response: { 200: Key } },
    },
    async ({ params: { id } }) => {
      const key = await getApiKey(store, id);
      if (key === undefined) throw noKey(id);
      return shown(key);
    },
  );
}

/** Throws `ProblemError` where the limits would be none. */
function checkLimits({ scopes: granted, workflows, effects }: z.infer<typeof NewKey>): void {
  const limit = workflows ? 'workflows' : effects && 'effects';
  if (limit !== undefined && granted.includes('admin'))
    throw wrong(`/${limit}`, 'A key with the scope admin cannot be limited: it can make keys that are not.');
  if (workflows !== undefined && granted.includes('audit:read'))
    throw wrong('/workflows', 'A key with the scope audit:read cannot be limited to workflows: the audit is of all.');
}

const wrong = (pointer: string, message: string): ProblemError =>
  new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });

/** Throws `ProblemError`. */
function expiryOf(
  { expiresAt, expiresIn }: { expiresAt?: number | undefined; expiresIn?: string | undefined },
  nowMs: number,
): number | undefined {
  if (expiresAt !== undefined && expiresIn !== undefined) throw wrong('/expiresIn', 'Give `expiresAt` or `expiresIn`.');
  const at = expiresIn === undefined ? expiresAt : nowMs + (durationMs(expiresIn) ?? 0);
  if (at !== undefined && at <= nowMs) throw wrong('/expiresAt', 'The key would have expired before it is made.');
  return at;
}

const noKey = (id: string): ProblemError =>
  new ProblemError('not-found', `There is no key ${JSON.stringify(id.slice(0, 80))}.`);

function shown({ id, name, scopes: granted, workflows, effects, createdBy, ...at }: ApiKey): z.infer<typeof Key> {
  return {
    id,
    name,
    scopes: [...granted],
    ...(workflows.length === 0 ? {} : { workflows: [...workflows] }),
    ...(effects && { effects }),
    createdBy,
    createdAt: instant(at.createdAt),
    ...(at.expiresAt === undefined ? {} : { expiresAt: instant(at.expiresAt) }),
    ...(at.revokedAt === undefined ? {} : { revokedAt: instant(at.revokedAt) }),
    ...(at.lastUsedAt === undefined ? {} : { lastUsedAt: instant(at.lastUsedAt) }),
  };
}
