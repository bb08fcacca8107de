import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { findApiKey, findUrl } from './address.ts';
import { writeAddress } from './runningAddress.ts';

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

test('a command goes to no address that nothing names, nor to one where no Baton runs', async () => {
  const folder = await newDataFolder();
  const env = { BATON_DATA: folder };
  const none = `No Baton runs on the data folder ${folder}.`;
  await expect(findUrl({}, env)).rejects.toThrow(none);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const here = `http://127.0.0.1:${port}/`;
  expect((await findUrl({}, { ...env, BATON_PORT: String(port) })).href).toBe(here);
  await writeAddress(folder, here);
  expect((await findUrl({}, env)).href).toBe(here);
  server.close();
  await once(server, 'close');
  await expect(findUrl({}, env)).rejects.toThrow(none);
  await expect(findUrl({}, { ...env, BATON_PORT: String(port) })).rejects.toThrow(none);
  // The user chose these.
  expect((await findUrl({ url: here }, env)).href).toBe(here);
  expect((await findUrl({}, { ...env, BATON_URL: here })).href).toBe(here);
});

test('A command on the folder of a Baton that was killed says so, that its runs are kept, and what starts it again.', async () => {
  const folder = await newDataFolder();
  const killed = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await writeFile(join(folder, 'address'), `http://127.0.0.1:9\n${killed.pid}\n${await realpath(folder)}\n`);
  const error = await findUrl({}, { BATON_DATA: folder }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    message: `The Baton of the data folder ${folder} was stopped by force: its process ${killed.pid} is gone.`,
    hint: `its runs are in that folder, and go on once it runs again: \`BATON_DATA=${folder} baton dev\``,
  });
});
