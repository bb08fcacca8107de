import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { dataFolderAbove, ownDataFolder } from './dataFolder.ts';

test('a data folder is found from any folder below, the nearest first, and not above the home folder', async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'baton-above-')));
  onTestFinished(() => rm(home, { recursive: true }));
  const deep = join(home, 'project', 'flows', 'deep');
  await mkdir(deep, { recursive: true });
  expect(await dataFolderAbove(deep, home)).toBeUndefined();
  const dataFolderIn = async (folder: string): Promise<void> => {
    await mkdir(join(folder, '.baton'));
    // An empty one is left by a start that failed.
    expect(await dataFolderAbove(deep, home)).not.toBe(join(folder, '.baton'));
    await writeFile(join(folder, '.baton', 'file'), '');
  };
  await dataFolderIn(home);
  expect(await dataFolderAbove(deep, home)).toBe(join(home, '.baton'));
  expect(await dataFolderAbove(deep, join(home, 'project'))).toBeUndefined();
  await dataFolderIn(join(home, 'project'));
  expect(await dataFolderAbove(deep, home)).toBe(join(home, 'project', '.baton'));
  await dataFolderIn(deep);
  expect(await dataFolderAbove(deep, home)).toBeUndefined();
});

test('a data folder of another account is not used, nor one above it', async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'baton-above-')));
  onTestFinished(() => rm(home, { recursive: true }));
  const below = join(home, 'shared', 'below');
  await mkdir(join(home, 'shared', '.baton'), { recursive: true });
  await mkdir(below);
  await writeFile(join(home, 'shared', '.baton', 'address'), 'http://127.0.0.1:1\n');
  const { uid } = await stat(home);
  expect(await dataFolderAbove(below, home, uid)).toBe(join(home, 'shared', '.baton'));
  expect(await dataFolderAbove(below, home, uid + 1)).toBeUndefined();
  expect(await dataFolderAbove(below, home, undefined)).toBe(join(home, 'shared', '.baton'));
});

test('a command does not use the data folder of another account', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-own-'));
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(async () => {
    process.chdir(before);
    await rm(folder, { recursive: true });
  });
  const us = process.getuid?.() ?? 0;
  expect(await ownDataFolder(us + 1)).toBe('.baton');
  await mkdir('.baton');
  await writeFile(join('.baton', 'address'), '');
  expect(await ownDataFolder(us)).toBe('.baton');
  await expect(ownDataFolder(us + 1)).rejects.toThrow('.baton belongs to another account');
});
