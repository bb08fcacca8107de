/** The official suite, against the way out: what workers call servers with. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Semaphore } from '@baton/primitives';
import { compileCache } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type ConformanceScenario, playScenario } from './conformance/client.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const suite = pathOf('../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const env = { PATH: process.env['PATH'], NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache };

/** The suite starts all scenarios at once. On a busy machine, more at a time would be late for what is timed. */
const permits = new Semaphore(3);

async function play(scenario: ConformanceScenario): Promise<void> {
  const giveBack = await permits.take(new AbortController().signal);
  try {
    await playScenario(scenario);
  } finally {
    giveBack();
  }
}

/** Plays the scenario that it is sent by the process that the suite starts for it: see forward.mjs. */
const client = createServer((asked, answer) => {
  void readAll(asked)
    .then((text) => play(JSON.parse(text) as ConformanceScenario))
    .then(
      () => answer.end(),
      (error: unknown) => answer.writeHead(500).end(`${error instanceof Error ? error.message : String(error)}\n`),
    );
});

beforeAll(async () => {
  client.listen(0, '127.0.0.1');
  await once(client, 'listening');
});

afterAll(() => {
  client.closeAllConnections();
  client.close();
});

function command(): string {
  const { port } = client.address() as AddressInfo;
  return `"${process.execPath}" "${pathOf('conformance/forward.mjs')}" http://127.0.0.1:${port}`;
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
