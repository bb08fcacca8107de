import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { recall, remember } from './postgresPlace.ts';

const module = new URL('postgresPlace.ts', import.meta.url).href;
const memory = { database: 'postgres', password: 'kept', port: 1 };

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-postgres-place-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** In a process that may make files and write nothing to them, as on a full disk. Resolves to what it printed. */
async function withoutRoom(code: string): Promise<string> {
  const limited = 'ulimit -f 0; exec "$0" --input-type=module-typescript --eval "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, code], {
    env: { ...process.env, NODE_COMPILE_CACHE: '' },
  });
  return stdout;
}

test.skipIf(process.platform === 'win32')(
  'where there is no room for what is new, the password of the database stays',
  async () => {
    const folder = await newFolder();
    await remember(folder, memory);
    const said = await withoutRoom(`
      import { remember } from ${JSON.stringify(module)};
      await remember(${JSON.stringify(folder)}, { database: 'postgres', password: 'kept', port: 2 })
        .catch((error) => console.log(error.name, error.cause.code));
    `);
    expect(said).toBe('StartError EFBIG\n');
    expect(await recall(folder)).toEqual(memory);
    expect(await readdir(folder)).toEqual(['postgres.json']);
  },
);

test('a file that holds something else is told, and not replaced', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'postgres.json'), '');
  await expect(recall(folder)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/postgres\.json does not hold the place and the password/) as string,
  });
});
