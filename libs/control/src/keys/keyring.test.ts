import type { ApiKey } from '@baton/store';
import { expect, test } from 'vitest';

import { AddressCounts } from './addressCounts.ts';
import { Keyring } from './keyring.ts';
import { makeKey } from './keyText.ts';
import { Roles } from './roles.ts';
import type { Principal } from './scopes.ts';

const stored: Omit<ApiKey, 'id' | 'secretHash'> = {
  name: 'ci',
  scopes: ['runs:read'],
  workflows: [],
  effects: undefined,
  approve: undefined,
  limits: {},
  person: undefined,
  createdBy: 'test',
  createdAt: 0,
  expiresAt: undefined,
  revokedAt: undefined,
  lastUsedAt: undefined,
};

/** A ring over one key, which can be changed, and a clock that is moved by hand. */
function stage(more: Partial<ApiKey> = {}) {
  const { id, secretHash, text } = makeKey();
  const time = { nowMs: 1_000_000 };
  const kept: { key: ApiKey } = { key: { ...stored, id, secretHash, ...more } };
  const ring = new Keyring({
    load: async (asked) => ({ key: asked === id ? kept.key : undefined }),
    roles: new Roles(),
    failures: new AddressCounts(() => time.nowMs),
    monotonic: () => time.nowMs,
    now: () => time.nowMs,
  });
  /** The name of the key, or the code of the refusal. */
  const use = async (key = text): Promise<string> => {
    try {
      return (await ring.authenticate(`Bearer ${key}`, '10.0.0.1')).name;
    } catch (error) {
      return String((error as { code?: unknown }).code);
    }
  };
  const revoke = (): void => void (kept.key = { ...kept.key, revokedAt: time.nowMs });
  return { id, ring, time, use, revoke };
}

test('a key is refused from the instant on at which it expires, though it was read before', async () => {
  const { id, ring, time, use } = stage({ expiresAt: 1_001_000 });
  expect(await use()).toBe('ci');
  time.nowMs = 1_000_999;
  expect(await use()).toBe('ci');
  expect(await ring.find(id)).toMatchObject({ name: 'ci' });
  time.nowMs = 1_001_000;
  expect(await use()).toBe('unauthenticated');
  expect(await ring.find(id)).toBeUndefined();
});

test('a key that another orchestrator revoked is refused within five seconds, and at once where it is forgotten', async () => {
  const { id, ring, time, use, revoke } = stage();
  expect(await use()).toBe('ci');
  revoke();
  time.nowMs += 4_999;
  expect(await use()).toBe('ci');
  time.nowMs += 1;
  expect(await use()).toBe('unauthenticated');
  const other = stage();
  expect(await other.use()).toBe('ci');
  other.revoke();
  other.ring.forget(other.id);
  expect(await other.use()).toBe('unauthenticated');
  expect(await ring.find(id)).toBeUndefined();
  expect(await ring.isGood({ id } as Principal)).toBe(false);
});

test('a key with the id of another one, and another secret, is refused', async () => {
  const { id, ring, use } = stage({ secretHash: makeKey().secretHash });
  expect(await ring.find(id)).toMatchObject({ name: 'ci' });
  expect(await use()).toBe('unauthenticated');
});

test('ten thousand keys are remembered, and guesses push none of them out', async () => {
  const loads = new Map<string, number>();
  const { secretHash } = makeKey();
  const ring = new Keyring({
    load: async (id) => {
      loads.set(id, (loads.get(id) ?? 0) + 1);
      return { key: id.startsWith('guess') ? undefined : { ...stored, id, secretHash } };
    },
    roles: new Roles(),
    failures: new AddressCounts(() => 0),
    monotonic: () => 0,
    now: () => 0,
  });
  const findAll = async (prefix: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) await ring.find(`${prefix} ${at}`);
  };
  await ring.find('first');
  await findAll('guess', 10_001);
  await findAll('key', 9_999);
  await ring.find('first');
  expect(loads.get('first')).toBe(1);
  await findAll('other', 1);
  await ring.find('first');
  expect(loads.get('first')).toBe(2);
});
