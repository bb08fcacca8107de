/** Routes of API keys: create, list, revoke. The key itself is shown once, when it is created. */
import { type Key, type NewKey, routes, ProblemError, instant, limitUsual } from '@baton/api';
import { type Keyring, makeKey } from '@baton/control';
import { durationMs, sessionWorkflow } from '@baton/language';
import { defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import {
  type ApiKey,
  type KeyLimits,
  type Store,
  getApiKey,
  KeyNameTakenError,
  listApiKeys,
  putApiKey,
  revokeApiKey,
} from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';

export interface KeyOptions {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

export function keyRoutes(app: App, options: KeyOptions): void {
  const { store, keyring, clock } = options;
  readingRoutes(app, options);
  route(app, routes.createKey, async (request, reply) => {
    const { name, workflows, effects, approve, limits, ...body } = request.body;
    checkName(request.body.name);
    checkLimits(request.body);
    const expiresAt = expiryOf(body, clock.now());
    const { id, secretHash, text } = makeKey();
    const key = {
      id,
      name,
      secretHash,
      scopes: [...new Set(body.scopes)],
      createdBy: request.principal.by,
      ...(workflows && { workflows: [...new Set(workflows)] }),
      ...(effects && { effects }),
      ...(approve && { approve }),
      ...(limits && { limits: givenLimits(limits) }),
      ...defined({ expiresAt }),
    };
    await putApiKey(store, key, { isNameUnique: true }).catch((error: unknown) => {
      if (!(error instanceof KeyNameTakenError)) throw error;
      const detail = `A valid key has the name ${JSON.stringify(name)} already. Choose another name, or revoke that key first.`;
      throw new ProblemError('conflict', detail);
    });
    const made = await getApiKey(store, id);
    if (made === undefined) throw noKey(id);
    reply.code(201).header('location', `/v1/keys/${id}`);
    return { ...toKey(made), key: text };
  });
  route(app, routes.revokeKey, async (request, reply) => {
    const { id } = request.params;
    const isRevoked = await revokeApiKey(store, id, request.principal.by);
    if (!isRevoked && (await getApiKey(store, id)) === undefined) throw noKey(id);
    keyring.forget(id);
    return reply.code(204).send(null);
  });
}

function readingRoutes(app: App, { store }: KeyOptions): void {
  route(app, routes.listKeys, async ({ query: { limit = limitUsual, cursor } }) => {
    const cursors = new Cursors('keys', {});
    const after = cursors.read(cursor, (text) => text !== '');
    const all = await listApiKeys(store);
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const page = all.slice(from, from + limit);
    const last = page.at(-1);
    const next = last !== undefined && from + limit < all.length ? { nextCursor: cursors.write(last.id) } : {};
    return { data: page.map(toKey), ...next };
  });
  route(app, routes.getKey, async ({ params: { id } }) => {
    const key = await getApiKey(store, id);
    if (key === undefined) throw noKey(id);
    return toKey(key);
  });
}

/**
 * Journals and the audit write a key as `name (id)`. A name with brackets, or with invisible or look-alike characters,
 * could imitate another key. Throws `ProblemError`.
 */
function checkName(name: string): void {
  if (!/[()\p{C}]/u.test(name) && name.normalize('NFKC') === name) return;
  throw wrong('/name', 'A name must not have brackets, invisible characters or look-alike characters.');
}

/** Throws `ProblemError` for limits without effect. */
function checkLimits({ scopes: granted, workflows, effects, approve }: NewKey): void {
  const [limit] = Object.entries({ workflows, effects, approve }).find(([, value]) => value !== undefined) ?? [];
  if (limit !== undefined && granted.includes('admin'))
    throw wrong(`/${limit}`, 'A key with the scope admin cannot be limited: it can make keys that are not.');
  if (workflows !== undefined && granted.includes('audit:read'))
    throw wrong('/workflows', 'A key with the scope audit:read cannot be limited to workflows: the audit covers all.');
  if (workflows !== undefined && granted.includes('secrets:write'))
    throw wrong(
      '/workflows',
      'A key with the scope secrets:write cannot be limited to workflows: all share the secrets.',
    );
  if (workflows?.includes(sessionWorkflow) === true)
    throw wrong(
      '/workflows',
      `"${sessionWorkflow}" is no workflow: the sessions of all keys at the gateway have that name.`,
    );
  const around = approve && aroundApproval.find((scope) => granted.includes(scope));
  if (around !== undefined)
    throw wrong(
      '/approve',
      `A key whose writes a person approves cannot have the scope ${around}: it could bypass the approval.`,
    );
}

/** With these a key could answer its own question, or deploy a workflow that writes. */
const aroundApproval = ['questions:answer', 'workflows:write'] as const;

const givenLimits = ({ runs, items, checks }: NonNullable<NewKey['limits']>): KeyLimits =>
  defined({ runs, items, checks });

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

function toKey({ id, name, scopes: granted, workflows, effects, approve, limits, createdBy, ...at }: ApiKey): Key {
  return {
    id,
    name,
    scopes: [...granted],
    ...(workflows.length === 0 ? {} : { workflows: [...workflows] }),
    ...(effects && { effects }),
    ...(approve && { approve }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    createdBy,
    createdAt: instant(at.createdAt),
    ...(at.expiresAt === undefined ? {} : { expiresAt: instant(at.expiresAt) }),
    ...(at.revokedAt === undefined ? {} : { revokedAt: instant(at.revokedAt) }),
    ...(at.lastUsedAt === undefined ? {} : { lastUsedAt: instant(at.lastUsedAt) }),
  };
}
