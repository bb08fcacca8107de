import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { claimOutside } from './outsideDatabase.ts';

/** A folder that leads to a database beside it, as its copies do. */
async function place(): Promise<{ database: string; dataFolder: (name: string) => Promise<string> }> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), 'baton-outside-')));
  onTestFinished(() => rm(outer, { recursive: true }));
  const database = join(outer, 'database');
  const dataFolder = async (name: string): Promise<string> => {
    const folder = join(outer, name);
    await mkdir(folder);
    await writeFile(join(folder, 'postgres.json'), JSON.stringify({ database, password: 'x' }));
    return folder;
  };
  return { database, dataFolder };
}

test('a database outside of its folder is used by one process at a time', async () => {
  const { database, dataFolder } = await place();
  const folder = await dataFolder('original');
  const release = await claimOutside(folder, database);
  await expect(claimOutside(folder, database)).rejects.toThrow('and another Baton uses it');
  release();
  (await claimOutside(folder, database))();
});

test('a copy of its folder does not get it, and the folder has it wherever it was moved', async () => {
  const { database, dataFolder } = await place();
  const folder = await dataFolder('original');
  (await claimOutside(folder, database))();
  await expect(claimOutside(await dataFolder('copy'), database)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining(`belongs to the data folder ${folder}`) as string,
  });
  const moved = join(folder, '..', 'moved');
  await rename(folder, moved);
  (await claimOutside(moved, database))();
  await expect(claimOutside(await dataFolder('original'), database)).rejects.toThrow(moved);
});

test('the database in another data folder is that folder’s', async () => {
  const { dataFolder } = await place();
  const folder = await dataFolder('original');
  const inside = join(folder, 'postgres');
  await writeFile(join(folder, 'postgres.json'), JSON.stringify({ database: 'postgres', password: 'x' }));
  await expect(claimOutside(await dataFolder('copy'), inside)).rejects.toThrow(`belongs to the data folder ${folder}`);
});
