/** The official suite, against the way out: what workers call servers with. */
import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { appFile, compileCache } from '@baton/testing';
import { expect, test } from 'vitest';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const suite = pathOf('../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const command = `"${process.execPath}" "${appFile('conformanceClient')}"`;
/** Each scenario is a suite and a client: what they are made of is compiled once. */
const env = { PATH: process.env['PATH'], NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache };

/** Names of those that a revision scores for clients. */
function scenariosOf(revision: string): string[] {
  const listed = execFileSync(process.execPath, [suite, 'list', '--requirements', revision], { encoding: 'utf8', env });
  const [, part = ''] = /Client scenarios.*\n([^]*?)\n\n/.exec(listed) ?? [];
  return part.split('\n').flatMap((line) => /^ {2}- (\S+)$/.exec(line)?.[1] ?? []);
}

/** What went wrong; nothing where it passed. */
async function problemOf(scenario: string, revision: string): Promise<string | undefined> {
  const args = [
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
    '--timeout',
    '120000',
    // Extensions are of no revision.
    '--force',
  ];
  try {
    const options = { encoding: 'utf8', env, maxBuffer: 1e8 } as const;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [suite, ...args], options);
    const said = `${stdout}${stderr}`;
    return said.includes('OVERALL: PASSED') ? undefined : `${scenario} was not run: ${said}`;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${scenario}: ${stdout}${stderr}`;
  }
}

/** Extensions that Baton has; no revision scores them. */
const extensions = ['auth/client-credentials-basic', 'auth/client-credentials-jwt'];

/** So many at once: each is three processes. */
const atOnce = 3;

test.each([
  ['2025-11-25', 18],
  ['2026-07-28', 32],
])(
  'our transports conform to %s',
  async (revision, count) => {
    const scenarios = scenariosOf(revision);
    expect(scenarios).toHaveLength(count);
    const problems: string[] = [];
    const left = [...scenarios, ...extensions];
    const loop = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const problem = await problemOf(next, revision);
        if (problem !== undefined) problems.push(problem);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
    expect(problems).toEqual([]);
  },
  600_000,
);
