/** What servers offer. */

import { readLedger, toolsServer } from '@baton/testing';
import { expect, test } from 'vitest';

import { newLedger, soon, trial } from './trial.ts';

test('all pages are read, an empty cursor is the end, and each tool has its digests', async () => {
  const { catalogue } = trial({ tools: toolsServer(newLedger()) });
  const { tools, prompts, resources, problems, server, protocolVersion } = await catalogue('tools');
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'pid']));
  expect(new Set(tools.map(({ digests }) => digests.contract)).size).toBe(tools.length);
  expect({ prompts, resources, problems, protocolVersion }).toEqual({
    prompts: [],
    resources: [],
    problems: [],
    protocolVersion: '2025-11-25',
  });
  expect(server?.name).toBe('scripted');
});

test('it is read once, and again after the server said that it changed', async () => {
  const changed: string[] = [];
  const onCatalogueChanged = (name: string): void => void changed.push(name);
  const { catalogue, call } = trial({ tools: toolsServer(newLedger()) }, { onCatalogueChanged });
  const before = await catalogue('tools');
  expect(await catalogue('tools')).toBe(before);
  await call('tools', 'grow', { name: 'brand-new' });
  await soon(() => expect(changed).toEqual(['tools']));
  const after = await catalogue('tools');
  expect(after.tools.map(({ name }) => name)).toEqual([...before.tools.map(({ name }) => name), 'brand-new']);
});

test('many who ask at once make one reading', async () => {
  const { catalogue } = trial({ tools: toolsServer(newLedger()) });
  const all = await Promise.all(Array.from({ length: 20 }, () => catalogue('tools')));
  expect(new Set(all).size).toBe(1);
});

test('names that could mislead stand for what they are, and what cannot be relied on is named and left out', async () => {
  const ledger = newLedger();
  const { catalogue, call } = trial({ tools: toolsServer(ledger) });
  await call('tools', 'grow', { name: '' });
  await call('tools', 'grow', { name: 'echo' });
  await call('tools', 'grow', { name: 'x'.repeat(300_000) });
  const { tools, problems } = await catalogue('tools');
  expect(tools.filter(({ name }) => name === 'echo')).toHaveLength(1);
  expect(problems).toHaveLength(3);
  expect(problems.join('\n')).toMatch(/"echo" is offered twice/);
  expect(problems.join('\n')).toMatch(/is larger than 262144 characters/);
});

test('where sessions belong to runs, reading leaves none behind', async () => {
  const { catalogue, status } = trial({ tools: { ...toolsServer(newLedger()), baton: { scope: 'run' } } });
  expect((await catalogue('tools')).tools.length).toBeGreaterThan(10);
  await soon(() => expect(status()).toMatchObject([{ sessions: { open: 0 } }]));
});

test('a failed reading is told, and the next one is tried', async () => {
  const ledger = newLedger();
  let token: string | undefined;
  const server = { ...toolsServer(ledger), env: { TOKEN: '${secret:TOKEN}' } };
  const { catalogue } = trial({ tools: server }, { secret: () => token });
  await expect(catalogue('tools')).rejects.toMatchObject({ code: 'server-unreachable' });
  token = 'there it is';
  expect((await catalogue('tools')).tools.length).toBeGreaterThan(10);
  expect(readLedger(ledger)).toEqual([]);
});
