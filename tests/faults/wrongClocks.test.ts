/**
 * Goal: whose clock is wrong decides nothing by it.
 * Method: real processes, of which one orchestrator and the only worker are an hour ahead; what they do is held against
 * Postgres' clock.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { appFile } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';

const anHour = 3_600_000;
const ahead = {
  NODE_OPTIONS: `--import=${new URL('shiftedDate.mjs', import.meta.url).href}`,
  BATON_TEST_AHEAD_MS: String(anHour),
};

const workflow = (name: string, catchUp: string): string => `workflow: ${name}
on:
  - schedule: "*/2 * * * * *"
    catchUp: ${catchUp}
    overlap: allow
steps:
  - wait: 1ms
`;

const patient = `workflow: patient
steps:
  - wait: 500ms
  - id: person
    ask: go on?
    expires: 5m
`;

let baton: Installation;
let operator: Client;

beforeAll(async () => {
  baton = await Installation.start({ servers: {}, workers: 0 });
  operator = new Client({ connectionString: baton.databaseUrl });
  await operator.connect();
});

afterAll(async () => {
  await operator.end();
  await baton.stop();
});

/** Of runs of the workflow: for which instants there is one, in seconds from now, by Postgres' clock. */
async function instants(name: string): Promise<number[]> {
  const { rows } = await operator.query<{ in: string }>(
    `select extract(epoch from instant - clock_timestamp()) as in from firing where schedule like $1 order by instant`,
    [`${name}.%`],
  );
  return rows.map((row) => Number(row.in));
}

test('an orchestrator and a worker an hour ahead fire nothing early, silence nothing, and let nothing last or expire', async () => {
  // The last one that is started is the one that is asked.
  await baton.startOrchestrator(ahead);
  await baton.startWorker(ahead);
  for (const [name, catchUp] of [
    ['plain', 'none'],
    ['all', 'all'],
  ] as const)
    await baton.deploy(workflow(name, catchUp));
  await baton.deploy(patient);
  const run = await baton.start('patient');
  for (const name of ['plain', 'all']) {
    const before = (await instants(name)).length;
    await expect.poll(async () => (await instants(name)).length).toBeGreaterThan(before + 2);
    expect((await instants(name)).filter((seconds) => seconds > 0)).toEqual([]);
  }
  const { rows } = await operator.query<{ late: boolean }>(
    `select max(next_at) > clock_timestamp() + interval '5 s' as late from schedule`,
  );
  expect(rows).toEqual([{ late: false }]);
  // It has waited its half second, and asks; what the question says of its end is right.
  const questions = async (): Promise<{ id: string; expiresAt: string }[]> =>
    (await baton.api('GET', '/v1/questions')).body['data'] as { id: string; expiresAt: string }[];
  await expect.poll(async () => (await questions()).length).toBe(1);
  const [question] = await questions();
  const left = await operator.query<{ left: string }>(
    'select extract(epoch from $1::timestamptz - clock_timestamp()) as left',
    [question?.expiresAt],
  );
  expect(Number(left.rows[0]?.left)).toBeGreaterThan(120);
  expect(Number(left.rows[0]?.left)).toBeLessThanOrEqual(300);
  await baton.api('POST', `/v1/questions/${question?.id}/answer`, { answer: { approve: true } });
  expect(await baton.ended(run)).toMatchObject({ status: 'succeeded' });
});

test('it is told: in /readyz, by `baton doctor`, and in the log', async () => {
  const sentence = 'The clock of this machine is 1 h ahead of that of Postgres; this process decides on no schedules.';
  const { status, body } = await baton.api('GET', '/readyz');
  expect([status, body]).toMatchObject([
    200,
    { status: 'degraded', parts: { clock: { status: 'off', message: sentence } } },
  ]);
  expect(baton.orchestrators.map((app) => app.log().includes(sentence))).toEqual([false, true]);
  expect(baton.workers[0]?.log()).toContain(sentence);
  const key = (await readFile(join(baton.folder, 'admin-key'), 'utf8')).trim();
  const env = { PATH: process.env['PATH'] ?? '', HOME: baton.folder, BATON_API_KEY: key };
  const told = await promisify(execFile)(process.execPath, [appFile('cli'), 'doctor', '--json', '--url', baton.url], {
    env,
  }).catch((error: { stdout: string }) => error);
  const findings = JSON.parse(told.stdout) as { what: string }[];
  expect(findings.find(({ what }) => what === 'clock')).toMatchObject({ state: 'wrong', message: sentence });
});
