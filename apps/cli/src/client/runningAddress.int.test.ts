import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { readAddress, writeAddress } from './runningAddress.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-address-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a Baton is found on any address of this machine while it runs', async () => {
  const folder = await newFolder();
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
  const hosts = own.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  for (const host of ['127.0.0.1', 'localhost', '[::1]', ...hosts.filter((host) => !host.includes('%'))]) {
    await writeAddress(folder, `http://${host}:4401`);
    expect(await readAddress(folder)).toBe(`http://${host}:4401`);
  }
  await (
    await writeAddress(folder, 'http://0.0.0.0:4402')
  )();
  expect(await readAddress(folder)).toBeUndefined();
});

test.each([
  'http://203.0.113.7:4400',
  'https://evil.example',
  'http://127.0.0.1@evil.example',
  'http://127.0.0.1.evil.example',
])('a folder that leads to %s is refused: keys and secrets would go there', async (address) => {
  const folder = await newFolder();
  await writeFile(join(folder, 'address'), `${address}\n`);
  await expect(readAddress(folder)).rejects.toThrow('which is not this machine');
});
