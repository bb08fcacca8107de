import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { dataFolderAbove } from './dataFolder.ts';

test('a data folder is found from any folder below, the nearest first, and not above the home folder', async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'baton-above-')));
  onTestFinished(() => rm(home, { recursive: true }));
  const deep = join(home, 'project', 'flows', 'deep');
  await mkdir(deep, { recursive: true });
  expect(await dataFolderAbove(deep, home)).toBeUndefined();
  await mkdir(join(home, '.baton'));
  expect(await dataFolderAbove(deep, home)).toBe(join(home, '.baton'));
  expect(await dataFolderAbove(deep, join(home, 'project'))).toBeUndefined();
  await mkdir(join(home, 'project', '.baton'));
  expect(await dataFolderAbove(deep, home)).toBe(join(home, 'project', '.baton'));
  await mkdir(join(deep, '.baton'));
  expect(await dataFolderAbove(deep, home)).toBeUndefined();
});
