import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { type MarksFile, marksFile } from './marksFile.ts';

const note = { entryHash: 'ab'.repeat(32), at: '2026-11-26T08:00:00.000Z' };

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-marks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const troubles: string[] = [];
const marksOf = (dataFolder: string, databaseUrl: string): MarksFile =>
  marksFile({ dataFolder, databaseUrl, onTrouble: (what) => void troubles.push(what) });

test('since when there are marks is remembered for each database, and no other account can read it', async () => {
  const folder = join(await newFolder(), 'data');
  const marks = marksOf(folder, 'postgres://baton:x@127.0.0.1/baton');
  expect(await marks.read()).toBeUndefined();
  await marks.write(note);
  expect(await marksOf(folder, 'postgres://ada@127.0.0.1:5432/baton?sslmode=disable').read()).toEqual(note);
  const other = marksOf(folder, 'postgres:///other?host=/run/postgresql');
  expect(await other.read()).toBeUndefined();
  await other.write({ ...note, entryHash: '' });
  expect(await marks.read()).toEqual(note);
  expect(await readdir(folder)).toEqual(['audit-marks.json']);
  expect((await stat(marks.file)).mode & 0o777).toBe(0o600);
  expect(await readFile(marks.file, 'utf8')).not.toContain('baton:x');
});

test('a file that holds something else is named, and not replaced', async () => {
  const folder = await newFolder();
  const marks = marksOf(folder, 'postgres://127.0.0.1/baton');
  await writeFile(marks.file, '{"127');
  for (const act of [() => marks.read(), () => marks.write(note)])
    await expect(act()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(marks.file) as string,
    });
});

test('A file of marks that cannot be written causes a warning, and nothing else fails', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  const marks = marksOf(file, 'postgres://127.0.0.1/baton');
  expect(await marks.read()).toBeUndefined();
  await marks.write(note);
  expect(troubles).toEqual([expect.stringContaining('cannot be written')]);
});
