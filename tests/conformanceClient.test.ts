/** The official suite, against the way out: what workers call servers with. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { appFile, compileCache } from '@baton/testing';
import { afterAll, expect, test } from 'vitest';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const suite = pathOf('../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const places = mkdtempSync(join(tmpdir(), 'baton-conformance-'));
afterAll(() => rmSync(places, { recursive: true }));
/** Each scenario is a process: what it is made of is compiled once. */
const env = { PATH: process.env['PATH'], NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache, PLACES: places };

/** The suite starts the clients of all scenarios at once. Where there is a `flock`, three run and the others wait. */
function command(): string {
  const client = `"${process.execPath}" "${appFile('conformanceClient')}"`;
  try {
    execFileSync('flock', ['--version']);
    return `flock "$PLACES/$(($$ % 3))" ${client}`;
  } catch {
    return client;
  }
}

/** Extensions that Baton has; no revision scores them. */
const extensions = ['auth/client-credentials-basic', 'auth/client-credentials-jwt'];

interface Verdicts {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Run, and not part of the revision. */
  readonly notScored: readonly string[];
  readonly log: string;
}

/** Plays the scenarios that a revision requires of clients, and those of extensions. */
async function verdictsOf(revision: string): Promise<Verdicts> {
  const args = ['client', '--command', command(), '--requirements', revision, '--timeout', '300000'];
  const log = await new Promise<string>((resolve) => {
    // It ends with 1 where a scenario fails that is not scored.
    execFile(process.execPath, [suite, ...args], { env, maxBuffer: 1e8 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  const [, summary = '', rest = ''] = /=== SUITE SUMMARY ===([^]*?)\nTotal: ([^]*)/.exec(log) ?? [];
  const named = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  return {
    passed: named(summary, /^✓ (\S+): [1-9]\d* passed, 0 failed/gm),
    failed: named(summary, /^✗ (\S+):/gm),
    notScored: named(rest, /^ {2}[✓✗] (\S+) \(/gm),
    log,
  };
}

test.each([
  ['2025-11-25', 18],
  ['2026-07-28', 32],
])(
  'our transports conform to %s',
  async (revision, count) => {
    const { passed, failed, notScored, log } = await verdictsOf(revision);
    const isOurs = (name: string): boolean => !notScored.includes(name) || extensions.includes(name);
    const broken = failed.filter(isOurs);
    expect({ broken, passed: passed.filter(isOurs).length, ...(broken.length > 0 && { log }) }).toEqual({
      broken: [],
      passed: count + extensions.length,
    });
  },
  600_000,
);
