import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const bin = fileURLToPath(import.meta.resolve('./baton.mjs'));

/** A Node that says it is as old as that. */
const claims = (version: string): string[] => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
];

const baton = (file: string, node: readonly string[], ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [...node, file, ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

describe('what is called `baton`', () => {
  test('is the command line itself where the Node is new enough', async () => {
    expect(await baton(bin, [], '--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test('imports nothing by name that an older Node does not have: else that one ends before it can say what it needs', async () => {
    const text = await readFile(bin, 'utf8');
    const named = [...text.matchAll(/^import \{ ([^}]+) \}/gm)].flatMap(([, names = '']) => names.split(', '));
    // All of them are in Node 12.
    expect(named).toEqual(['spawn', 'existsSync', 'join', 'fileURLToPath']);
  });

  describe('where the machine has an older Node', () => {
    let clone = '';
    let copy = '';
    beforeAll(async () => {
      clone = await mkdtemp(join(tmpdir(), 'baton-clone-'));
      copy = join(clone, 'apps', 'cli', 'src', 'baton.mjs');
      await mkdir(join(copy, '..'), { recursive: true });
      await copyFile(bin, copy);
      await writeFile(join(copy, '..', 'main.ts'), 'process.stdout.write(process.argv[2] ?? ""); process.exit(3);');
    });
    afterAll(() => rm(clone, { recursive: true, force: true }));

    test.each(['20.11.1', '24.2.0'])('%s is told what is needed, and how to get it', async (version) => {
      const told = await baton(copy, claims(version), 'runs');
      expect(told).toMatchObject({ code: 2, stdout: '' });
      expect(told.stderr).toContain(`Baton needs Node 24.3, and this is Node ${version}.`);
      expect(told.stderr).toContain('hint: run `node scripts/setup.mjs`');
    });

    test('it runs on the Node that was installed for it, and ends as that ends', async () => {
      await mkdir(join(clone, 'node_modules', '.bin'), { recursive: true });
      await symlink(process.execPath, join(clone, 'node_modules', '.bin', 'node'));
      expect(await baton(copy, claims('20.11.1'), 'runs')).toMatchObject({ code: 3, stdout: 'runs', stderr: '' });
    });
  });
});
