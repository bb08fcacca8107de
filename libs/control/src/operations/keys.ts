/** Operations of API keys: create, list, revoke. The key itself is shown once, when it is created. */
import { type Key, type Received, routes, ProblemError, instant } from '@baton/api';
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
  getPerson,
  revokeApiKey,
} from '@baton/store';

import { isWritableName } from '../keys/actor.ts';
import type { Keyring } from '../keys/keyring.ts';
import { makeKey } from '../keys/keyText.ts';
import { ofInstallation } from './operation.ts';
import { type PageInput, pageIn } from './page.ts';
import type { ById } from './reach.ts';

interface KeyParts {
  readonly store: Store;
  readonly keyring: Pick<Keyring, 'forget'>;
  readonly clock: Pick<Clock, 'now'>;
}

type NewKeyBody = Received<typeof routes.createKey>['body'];

export const listKeys = ofInstallation(routes.listKeys, async ({ store }: Pick<KeyParts, 'store'>, page: PageInput) =>
  pageIn((await listApiKeys(store)).map(toKey), page),
);

export const getKey = ofInstallation(routes.getKey, ({ store }: Pick<KeyParts, 'store'>, { id }: ById) =>
  storedKey(store, id),
);

/** The new key, with its text. */
export const createKey = ofInstallation(
  routes.createKey,
  async ({ store, clock }: KeyParts, wanted: NewKeyBody, { by }) => {
    const { name, workflows, effects, approve, limits, person, ...body } = wanted;
    checkName(name);
    checkLimits(wanted);
    if (person !== undefined) await checkPerson(store, person);
    const expiresAt = expiryOf(body, clock.now());
    const { id, secretHash, text } = makeKey();
    const key = {
      id,
      name,
      secretHash,
      scopes: [...new Set(body.scopes)],
      createdBy: by,
      ...(workflows && !workflows.includes('*') && { workflows: [...new Set(workflows)] }),
      ...(limits && { limits: givenLimits(limits) }),
      ...defined({ effects, approve, person, expiresAt }),
    };
    await putApiKey(store, key, { isNameUnique: true }).catch((error: unknown) => {
      if (!(error instanceof KeyNameTakenError)) throw error;
      const detail = `A valid key has the name ${JSON.stringify(name)} already. Choose another name, or revoke that key first.`;
      throw new ProblemError('conflict', detail);
    });
    return { ...(await storedKey(store, id)), key: text };
  },
);

export const revokeKey = ofInstallation(
  routes.revokeKey,
  async ({ store, keyring }: KeyParts, { id }: ById, { by }): Promise<void> => {
    if (!(await revokeApiKey(store, id, by))) await storedKey(store, id);
    keyring.forget(id);
  },
);

/** Rejects with `ProblemError` if there is none. */
async function storedKey(store: Store, id: string): Promise<Key> {
  const key = await getApiKey(store, id);
  if (key === undefined) throw new ProblemError('not-found', `There is no key ${JSON.stringify(id.slice(0, 80))}.`);
  return toKey(key);
}

/**
 * Journals and the audit write a key as `name (id)`. A name with brackets, or with invisible or look-alike characters,
 * could imitate another key. Throws `ProblemError`.
 */
function checkName(name: string): void {
  if (isWritableName(name)) return;
  throw wrong('/name', 'A name must not have brackets, invisible characters or look-alike characters.');
}

/** Rejects with `ProblemError`. */
async function checkPerson(store: Store, id: string): Promise<void> {
  const person = await getPerson(store, id);
  if (person !== undefined && person.removedAt === undefined) return;
  throw wrong('/person', `There is no person ${JSON.stringify(id.slice(0, 80))}. \`baton people ls\` lists them.`);
}

/** Throws `ProblemError` for limits without effect. */
function checkLimits({ scopes: granted, workflows, effects, approve }: NewKeyBody): void {
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

const givenLimits = ({ runs, items, checks }: NonNullable<NewKeyBody['limits']>): KeyLimits =>
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

function toKey({ id, name, scopes: granted, workflows, effects, approve, limits, person, ...at }: ApiKey): Key {
  const { createdBy } = at;
  return {
    id,
    name,
    scopes: [...granted],
    ...(workflows.length === 0 ? {} : { workflows: [...workflows] }),
    ...(effects && { effects }),
    ...(approve && { approve }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...defined({ person }),
    createdBy,
    createdAt: instant(at.createdAt),
    ...(at.expiresAt === undefined ? {} : { expiresAt: instant(at.expiresAt) }),
    ...(at.revokedAt === undefined ? {} : { revokedAt: instant(at.revokedAt) }),
    ...(at.lastUsedAt === undefined ? {} : { lastUsedAt: instant(at.lastUsedAt) }),
  };
}
