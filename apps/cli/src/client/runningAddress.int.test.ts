import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { readAddress, writeAddress } from './runningAddress.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-address-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A program at every address of this machine: of this account, or, by root, of another. */
async function listen(userId?: number): Promise<{ port: number; close: () => Promise<void> }> {
  if (userId !== undefined) process.seteuid?.(userId);
  const server = createServer().listen(0);
  // The socket is there, and is of the account that made it.
  if (userId !== undefined) process.seteuid?.(0);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}

test('a Baton is found on any address of this machine while it runs', async () => {
  const folder = await newFolder();
  const { port, close } = await listen();
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
  const hosts = own.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  for (const host of ['127.0.0.1', 'localhost', '[::1]', ...hosts.filter((host) => !host.includes('%'))]) {
    await writeAddress(folder, `http://${host}:${port}`);
    expect(await readAddress(folder)).toBe(`http://${host}:${port}`);
  }
  const remove = await writeAddress(folder, `http://0.0.0.0:${port}`);
  expect(await readAddress(folder)).toBe(`http://127.0.0.1:${port}`);
  // As a Baton that was killed leaves it.
  await close();
  expect(await readAddress(folder)).toBeUndefined();
  await remove();
  expect(await readAddress(folder)).toBeUndefined();
});

test('a folder that was copied while its Baton ran does not lead to that Baton', async () => {
  const [folder, copy] = [await newFolder(), await newFolder()];
  const { port, close } = await listen();
  onTestFinished(close);
  await writeAddress(folder, `http://127.0.0.1:${port}`);
  await copyFile(join(folder, 'address'), join(copy, 'address'));
  expect(await readAddress(folder)).toBe(`http://127.0.0.1:${port}`);
  expect(await readAddress(copy)).toBeUndefined();
});

/** Only root may act as another account. */
test.runIf(process.getuid?.() === 0)('where another account listens, a command sends nothing', async () => {
  const folder = await newFolder();
  const { port, close } = await listen(65_534);
  onTestFinished(close);
  await writeAddress(folder, `http://127.0.0.1:${port}`);
  await expect(readAddress(folder)).rejects.toThrow('Another account (user id 65534) listens');
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
