import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { toolsServer } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Answer, Installation, outputOf } from '../installation.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-bounded-'));
const mebi = 1024 * 1024;
let baton: Installation;
let operator: Client;

beforeAll(async () => {
  baton = await Installation.start({ servers: { work: toolsServer(join(folder, 'ledger')) } });
  operator = new Client({ connectionString: baton.databaseUrl });
  await operator.connect();
});

afterAll(async () => {
  await operator.end();
  await baton.stop();
  rmSync(folder, { recursive: true });
});

/** How the run ended, and what its journal holds. */
async function ran(name: string, tool: string, given: object) {
  await baton.deploy(
    `workflow: ${name}\nsteps:\n  - id: call\n    tool: work/${tool}\n    with: ${JSON.stringify(given)}\n`,
  );
  const run = await baton.ended(await baton.start(name));
  const { rows } = await operator.query<{ events: number; bytes: number }>(
    'select count(*)::int as events, sum(octet_length(data::text))::int as bytes from run_event where run_id = $1',
    [run.id],
  );
  return { ...run, ...rows[0] };
}

test('a tool that tells its progress twenty thousand times leaves a few events', async () => {
  const { status, events } = await ran('chatty', 'chatter', { times: 20_000 });
  expect(status).toBe('succeeded');
  expect(events).toBeLessThan(100);
});

test('a large result is kept beside the journal', async () => {
  const { status, bytes } = await ran('large', 'huge', { bytes: 2 * mebi });
  expect(status).toBe('succeeded');
  expect(bytes).toBeLessThan(64 * 1024);
});

test('ten megabytes go from one call into the next, and a step shows where to find them', async () => {
  const bytes = 10_000_000;
  await baton.deploy(`
workflow: ten
steps:
  - { id: call, tool: work/huge, effect: read, with: { bytes: ${bytes} } }
  - { id: next, tool: work/echo, effect: write, with: { message: "\${{ steps.call.text }}" } }
outputs:
  text: "\${{ steps.next.text }}"
`);
  const run = await baton.ended(await baton.start('ten'));
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(String(outputOf(run, 'text')).length).toBe(bytes);
  const output = run.steps.find(({ path }) => path === 'next')?.output as { $large: { sha256: string } } | undefined;
  const value = (): Promise<Answer> => baton.api('GET', `/v1/runs/${run.id}/values/${output?.$large.sha256}`);
  // Where the database answers late, it is 503.
  await expect.poll(async () => JSON.stringify((await value()).body).length).toBeGreaterThan(bytes);
});

test('ten megabytes of inputs are refused, with the limit, before there is a run', async () => {
  await baton.deploy('workflow: given\ninputs: { text: { type: string } }\nsteps: [{ id: s, set: { x: 1 } }]\n');
  const { status, body } = await baton.api('POST', '/v1/workflows/given/runs', {
    inputs: { text: 'x'.repeat(10_000_000) },
  });
  expect([status, body['type']]).toEqual([413, 'urn:baton:problem:payload-too-large']);
  expect(body['detail']).toMatch(/1048576 bytes/);
  const { rows } = await operator.query(`select from run where workflow = 'given'`);
  expect(rows).toEqual([]);
});

test('a result beyond the limit fails its step, says so, and leaves its worker alive for the next', async () => {
  const { status, error, bytes } = await ran('toolarge', 'huge', { bytes: 40 * mebi });
  expect([status, error?.code, error?.step]).toEqual(['failed', 'result-too-large', 'call']);
  expect(bytes).toBeLessThan(64 * 1024);
  expect(await ran('next', 'echo', { message: 'hello' })).toMatchObject({ status: 'succeeded' });
  expect(baton.apps.map(({ child }) => child.exitCode)).toEqual([null]);
});
