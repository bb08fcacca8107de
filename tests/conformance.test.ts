import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { compileCache, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { fixtures, taskFixtures } from './conformance/fixtures.ts';
import { Installation } from './installation.ts';

const adminKey = 'an-admin-key-of-our-own-0123456789abcdef';
const suite = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const env = { PATH: process.env['PATH'], NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache };
const expected = (revision: string): string =>
  fileURLToPath(new URL(`conformance/expectedFailures-${revision}.yaml`, import.meta.url));

/** The official suite, against `/mcp`: a server whose tools are workflows. */
describe('the MCP face', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-conformance-'));
  let baton: Installation;
  /** The suite sends no key: what it says is passed on as it came, with one. */
  const door = createServer((incoming, outgoing) => {
    const { host, port } = new URL(baton.url);
    const headers = { host, ...incoming.headers, authorization: `Bearer ${adminKey}` };
    const { method, url } = incoming;
    const onward = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });

  beforeAll(async () => {
    baton = await Installation.start({
      servers: { work: toolsServer(join(folder, 'ledger')) },
      env: { BATON_ADMIN_KEY: adminKey },
    });
    for (const text of fixtures) await baton.deploy(text);
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
  });

  afterAll(async () => {
    door.closeAllConnections();
    door.close();
    await baton.stop();
    rmSync(folder, { recursive: true });
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'conforms to %s, but for what a server made of workflows cannot be',
    async (revision) => {
      const { exitCode, said } = await run('--requirements', revision, '--expected-failures', expected(revision));
      expect({ exitCode, said: exitCode === 0 ? '' : said }).toEqual({ exitCode: 0, said: '' });
    },
  );

  test.each(['2025-11-25', '2026-07-28'])(
    'conforms at the gateway to %s, but for tools, prompts and resources of the suite’s names',
    async (revision) => {
      const known = ['--requirements', revision, '--expected-failures', expected(`gateway-${revision}`)];
      const { exitCode, said } = await runAt('/mcp/gateway', ...known);
      expect({ exitCode, said: exitCode === 0 ? '' : said }).toEqual({ exitCode: 0, said: '' });
    },
  );

  const run = (...which: readonly string[]) => runAt('/mcp', ...which);

  const runAt = async (path: string, ...which: readonly string[]) => {
    const { port } = door.address() as AddressInfo;
    const args = [suite, 'server', '--url', `http://127.0.0.1:${port}${path}`, ...which];
    const child = spawn(process.execPath, args, { cwd: folder, env });
    const [said, errors, [exitCode]] = await Promise.all([
      readAll(child.stdout),
      readAll(child.stderr),
      once(child, 'exit'),
    ]);
    return { exitCode: exitCode as number | null, said: said + errors };
  };

  describe.concurrent('the extension for tasks', () => {
    beforeAll(async () => {
      for (const text of taskFixtures) await baton.deploy(text);
    });

    test.each<[string, ...string[]]>([
      // What a workflow runs into is its result, and no failure of the protocol.
      ['tasks-lifecycle', 'TasksProtocolErrorFailedShape'],
      ['tasks-capability-negotiation'],
      ['tasks-wire-fields'],
      ['tasks-request-state-removal'],
      ['tasks-mrtr-input'],
      ['tasks-request-headers'],
      ['tasks-dispatch-and-envelope'],
      ['tasks-mrtr-composition'],
    ])('%s', async (scenario, ...beyond) => {
      const { said } = await run('--scenario', scenario);
      expect(said).toContain('Test Results:');
      const failed = [...said.matchAll(/^ {2}- (\w+):/gm)].map(([, name]) => name);
      expect({ failed, said: failed.length === beyond.length ? '' : said }).toEqual({ failed: beyond, said: '' });
    });
  });
});
