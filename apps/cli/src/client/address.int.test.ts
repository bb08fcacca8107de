import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { findApiKey } from './address.ts';

async function newDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-address-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'admin-key'), 'the-admin-key\n');
  return folder;
}

const hosts: readonly [string, boolean][] = [
  ['http://127.0.0.1:4400', true],
  ['http://localhost:4400', true],
  ['http://[::1]:4400', true],
  ['https://baton.example', false],
  ['http://10.0.0.7:4400', false],
  ['http://127.0.0.1.example:4400', false],
  ['http://localhost.example', false],
];

test.each(hosts)('the admin key of the data folder is sent to this machine only: %s', async (url, isSent) => {
  const env = { BATON_DATA: await newDataFolder() };
  expect(await findApiKey({}, new URL(url), env)).toBe(isSent ? 'the-admin-key' : undefined);
  // A key that a person gives is sent where they say.
  expect(await findApiKey({}, new URL(url), { ...env, BATON_API_KEY: 'given' })).toBe('given');
  expect(await findApiKey({ apiKey: 'given' }, new URL(url), env)).toBe('given');
});
