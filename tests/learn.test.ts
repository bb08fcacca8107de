/**
 * Sessions of real agents with real servers, at the gateway. `BATON_RECORD=1` writes all of them down anew, for the quick
 * test over recordings (libs/learn/src/recordings.test.ts); otherwise one is made, learned and proven.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { RunEvent } from '@baton/engine';
import { type Learned, type SeenRun, seenRun } from '@baton/learn';
import { appFile } from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from './installation.ts';
import { type Agent, agents, furnish } from './learn/agents.ts';

const packageFile = (name: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`);
const node = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [packageFile(name), ...args],
});
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-learn-')));
const recordings = fileURLToPath(new URL('../libs/learn/recordings/', import.meta.url));
const adminKey = 'an-admin-key-of-our-own-0123456789abcdef';

/** Each agent has servers of its own: what one leaves behind the next would find. */
const serversOf = ({ name }: Agent): Record<string, object> => ({
  [`${name}.files`]: node('server-filesystem', join(folder, name)),
  [`${name}.memory`]: { ...node('server-memory'), env: { MEMORY_FILE_PATH: join(folder, `${name}.jsonl`) } },
});

const made = process.env['BATON_RECORD'] === '1' ? agents : agents.filter(({ name }) => name === 'collect-notes');
let baton: Installation;

beforeAll(async () => {
  for (const { name } of made) {
    mkdirSync(join(folder, name));
    furnish(join(folder, name));
  }
  baton = await Installation.start({
    servers: { ...Object.assign({}, ...made.map(serversOf)), every: node('server-everything') },
    env: { BATON_ADMIN_KEY: adminKey },
  });
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

/** The run of the session. */
async function sessionOf(agent: Agent): Promise<string> {
  const client = new Client({ name: agent.name, version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${adminKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${baton.url}/mcp/gateway?session=${agent.name}`), { requestInit }),
  );
  let run = '';
  await agent.does(
    async (name, given = {}) => {
      const own = name.startsWith('every__') ? name : `${agent.name}.${name}`;
      const result = await client.callTool({ name: own, arguments: given });
      run = String(result._meta?.['baton/run']);
      return result;
    },
    join(folder, agent.name),
  );
  await client.close();
  return run;
}

/** Without the names and times that only this machine, and this test, give, and what the servers said of their tools. */
async function recordedOf(agent: Agent, run: string): Promise<SeenRun> {
  const { body } = await baton.api('GET', `/v1/runs/${run}/events?limit=100`);
  const seen = seenRun(body['data'] as readonly RunEvent[], () => null);
  const calls = seen.calls.map(({ contract: _contract, at: _at, ...call }) => call);
  const text = JSON.stringify({ ...seen, calls, startedAt: 0 });
  return JSON.parse(text.replaceAll(join(folder, agent.name), '/data').replaceAll(`${agent.name}.`, '')) as SeenRun;
}

test.each(made.map((agent) => [agent.name, agent] as const))(
  'a session of an agent that is to %s is learned',
  async (name, agent) => {
    const run = await sessionOf(agent);
    const env = { ...process.env, BATON_URL: baton.url, BATON_API_KEY: adminKey };
    const args = [appFile('cli'), 'learn', '--session', name, '--yes', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch((error: unknown) => {
      // It says by its exit code that the replay differs; what it printed says where.
      return error as { stdout: string };
    });
    const learned = JSON.parse(stdout) as Learned;
    if (process.env['BATON_RECORD'] === '1') {
      mkdirSync(recordings, { recursive: true });
      writeFileSync(join(recordings, `${name}.json`), `${JSON.stringify(await recordedOf(agent, run), null, 2)}\n`);
      return;
    }
    expect(learned.replay).toEqual({ same: true, differences: [] });
    const before = JSON.parse(readFileSync(join(recordings, `${name}.json`), 'utf8')) as SeenRun;
    expect((await recordedOf(agent, run)).calls).toEqual(before.calls);
  },
);
