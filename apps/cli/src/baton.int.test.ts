import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

const bin = fileURLToPath(import.meta.resolve('./baton.mjs'));

/** A Node that says it is as old as that. */
const claims = (version: string): string[] => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
];

const baton = (node: readonly string[], ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [...node, bin, ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

describe('what is called `baton`', () => {
  test('is the command line itself where the Node is new enough', async () => {
    expect(await baton([], '--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test('finds the Node that it needs where the machine has an older one, and ends as that ends', async () => {
    expect((await baton(claims('20.11.1'), '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const wrong = await baton(claims('20.11.1'), 'rnu');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('Did you mean run?');
  });
});
