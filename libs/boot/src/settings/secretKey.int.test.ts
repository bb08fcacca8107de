import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { readSecretKey } from './secretKey.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-secret-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a key that was given is the key', async () => {
  const folder = await newFolder();
  const given = Buffer.alloc(32, 7);
  expect(await readSecretKey({ given, dataFolder: folder })).toBe(given);
  expect(await readdir(folder)).toEqual([]);
});

test('otherwise one is made, which no other user can read, and found again', async () => {
  const dataFolder = join(await newFolder(), 'data');
  const keys = await Promise.all(Array.from({ length: 4 }, () => readSecretKey({ given: undefined, dataFolder })));
  const [first = Buffer.alloc(0)] = keys;
  expect(first).toHaveLength(32);
  for (const key of keys) expect(key.equals(first)).toBe(true);
  expect(await readdir(dataFolder)).toEqual(['secret-key']);
  expect((await stat(join(dataFolder, 'secret-key'))).mode & 0o777).toBe(0o600);
});

test('a file that holds something else is not replaced', async () => {
  const dataFolder = await newFolder();
  await writeFile(join(dataFolder, 'secret-key'), 'c2hvcnQ=\n');
  await expect(readSecretKey({ given: undefined, dataFolder })).rejects.toThrow('restore it');
});

test('a file that cannot be read is named', async () => {
  const dataFolder = await newFolder();
  const file = join(dataFolder, 'secret-key');
  await mkdir(file);
  await expect(readSecretKey({ given: undefined, dataFolder })).rejects.toMatchObject({
    name: 'StartError',
    message: `The secret key in ${file} cannot be read (EISDIR). Let this account read it.`,
  });
});

test('a data folder that is a file is told to the operator', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  await expect(readSecretKey({ given: undefined, dataFolder: file })).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/file cannot be written to \(ENOTDIR\)\. Set BATON_DATA/) as string,
  });
});
