import { UnavailableError } from '@baton/runner';
import { TestClock } from '@baton/testing';
import { expect, test, vi } from 'vitest';

import { IdentityUnavailableError } from './identityUnavailable.ts';
import { watchKeyExpiry } from './keyExpiryWatch.ts';
import type { Principal } from './scopes.ts';

const principal: Principal = { id: 'k', name: 'k', by: 'k', scopes: new Set() };
const everyMs = 15_000;

test('a long stream ends with its key, and not because the keys cannot be read', async () => {
  const clock = new TestClock();
  const answers = [async () => true, () => Promise.reject(new UnavailableError('away')), async () => false];
  const isGood = (): Promise<boolean> => answers.shift()?.() ?? Promise.reject(new Error('it has ended'));
  const end = vi.fn<() => void>();
  watchKeyExpiry({ keyring: { isGood }, clock }, principal, end);
  for (const left of [2, 1, 0]) {
    await expect.poll(() => clock.isAwaited(everyMs)).toBe(true);
    expect(end).not.toHaveBeenCalled();
    clock.pass(everyMs);
    expect(answers.length).toBe(left);
  }
  await expect.poll(() => end).toHaveBeenCalledOnce();
  expect(clock.isAwaited(everyMs)).toBe(false);
});

test('a stream ends when a provider, whose word has run out, cannot be asked about its person', async () => {
  const clock = new TestClock();
  const end = vi.fn<() => void>();
  const isGood = () => Promise.reject(new IdentityUnavailableError('the provider is away'));
  watchKeyExpiry({ keyring: { isGood }, clock }, principal, end);
  clock.pass(everyMs);
  await expect.poll(() => end).toHaveBeenCalledOnce();
});

test('a stream that has ended is not watched any more', async () => {
  const clock = new TestClock();
  const end = vi.fn<() => void>();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const leave = watchKeyExpiry({ keyring: { isGood: () => promise }, clock }, principal, end);
  clock.pass(everyMs);
  leave();
  resolve(false);
  await promise;
  expect(end).not.toHaveBeenCalled();
  watchKeyExpiry({ keyring: { isGood: async () => false }, clock }, principal, end)();
  expect(clock.isAwaited(everyMs)).toBe(false);
});
