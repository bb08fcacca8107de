import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { StartError } from '../failure/startError.ts';
import { epochFile } from './epochFile.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-epochs-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('A file keeps the epoch of each installation, in a folder that it makes', async () => {
  const file = join(folder, 'new', 'fence.json');
  const epochs = epochFile(file);
  expect(await epochs.read('one')).toBeUndefined();
  await epochs.write('one', '{"at":1}');
  await epochs.write('other', '{"at":2}');
  await epochs.write('one', '{"at":3}');
  expect([await epochFile(file).read('one'), await epochs.read('other')]).toEqual(['{"at":3}', '{"at":2}']);
  expect(await epochs.read('toString')).toBeUndefined();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ one: { at: 3 }, other: { at: 2 } });
});

test('A file of epochs that was cut off as the machine stopped is empty, and one of something else stops a start', async () => {
  const file = join(folder, 'fence.json');
  await writeFile(file, '\n');
  expect(await epochFile(file).read('one')).toBeUndefined();
  for (const text of ['[]', '{"one":', 'epochs']) {
    await writeFile(file, text);
    await expect(epochFile(file).read('one')).rejects.toThrow(StartError);
  }
});
