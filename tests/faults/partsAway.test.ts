/** What a client sees while a part is away, on real processes; and that all goes on by itself when the part is back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type FaultProxy, type RedisServer, faultProxy, startRedis, toolsServer } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { type Answer, Installation, outputOf } from '../installation.ts';
import { pause } from '../pause.ts';

const workflow = `workflow: work
inputs: { n: { type: integer } }
steps:
  - id: slow
    tool: work/slow
    with: { ms: 400 }
  - id: echo
    tool: work/echo
    with: { message: "\${{ inputs.n }}" }
outputs: { n: "\${{ steps.echo.text }}" }
`;

/** How long a process may wait for the queue to take a bell: libs/queue/src/bell.ts. */
const bellMs = 1_000;
const count = 15;
const succeeded = Array.from({ length: count }, (_, n) => ['succeeded', String(n)]);

const folder = mkdtempSync(join(tmpdir(), 'baton-away-'));
const ends: (() => Promise<void>)[] = [];
let postgres: FaultProxy;
let redis: RedisServer | undefined;
let baton: Installation;

beforeAll(async () => {
  const { hostname, port } = new URL(inject('services').postgresUrl);
  postgres = await faultProxy({ host: hostname, port: Number(port) });
  ends.push(() => postgres.close());
  if (inject('services').redisUrl !== undefined) {
    const server = await startRedis({ folder });
    ends.push(() => server.stop());
    redis = server;
  }
  baton = await Installation.start({
    servers: { work: { ...toolsServer(join(folder, 'ledger')), baton: { concurrency: 20 } } },
    workers: 2,
    databasePort: postgres.port,
    env: { LOG_LEVEL: 'warn' },
    ...(redis === undefined ? {} : { redisUrl: redis.url }),
  });
  ends.push(() => baton.stop());
  await baton.deploy(workflow);
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  rmSync(folder, { recursive: true });
});

const startAll = (): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => baton.start('work', { n })));

const endsOf = async (ids: readonly string[]): Promise<readonly unknown[]> =>
  (await Promise.all(ids.map((id) => baton.ended(id)))).map((run) => [run.status, outputOf(run, 'n')]);

const ask = (key: string): Promise<Answer> =>
  baton.api('POST', '/v1/runs', { workflow: 'work', inputs: { n: 7 }, tags: [key] }, { 'idempotency-key': key });

/** Asks with the same key until it is served; 503 is the only other answer. */
async function insist(key: string): Promise<string> {
  for (;;) {
    const { status, headers, body } = await ask(key);
    if (status === 202) return String(body['id']);
    expect([status, headers.has('retry-after')]).toEqual([503, true]);
    await pause(100);
  }
}

/** Each way in, once. */
const everyKind = async (runId: string): Promise<readonly Answer[]> => [
  await ask('unserved'),
  await baton.api('GET', `/v1/runs/${runId}`),
  await baton.api('GET', '/v1/runs'),
  await baton.api('GET', '/v1/workflows'),
  await baton.api('POST', `/v1/runs/${runId}/cancel`),
  await baton.api('POST', '/v1/workflows', workflow),
];

const told = ({ status, headers, body }: Answer): unknown => [status, headers.get('retry-after'), body['type']];
const isAway = [503, '1', 'urn:baton:problem:dependency-down'];

/** What is away, as soon as the orchestrator says that it cannot work: it looks once a second at most. */
async function untilDown(): Promise<unknown> {
  for (;;) {
    const { status, body } = await baton.api('GET', '/readyz');
    if (status === 503 && body['status'] === 'down') return body['parts'];
    await pause(100);
  }
}

const processes = (): unknown[] => baton.apps.map(({ child }) => [child.exitCode, child.signalCode]);

describe.skipIf(inject('services').redisUrl === undefined)('with Redis standing still', () => {
  test('runs are taken in without waiting for it, and end by polling', async () => {
    const pid = redis?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const startMs = performance.now();
      const ids: string[] = [];
      // One after the other: were each to wait for Redis, they would take that long together.
      for (let n = 0; n < count; n++) ids.push(await baton.start('work', { n }));
      expect(performance.now() - startMs).toBeLessThan(count * bellMs);
      expect(await endsOf(ids)).toEqual(succeeded);
      const { status, body } = await baton.api('GET', '/readyz');
      expect([status, body['status']]).toEqual([200, 'degraded']);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});

describe('with Postgres away', () => {
  test('every request is told to come again, no accepted run is lost, and no process is restarted', async () => {
    const before = processes();
    const ids = await startAll();
    postgres.refuse(true);
    const answers = await everyKind(ids[0] ?? '');
    const parts = await untilDown();
    const { status } = await baton.api('GET', '/healthz');
    postgres.refuse(false);
    expect(answers.map(told)).toEqual(answers.map(() => isAway));
    expect(parts).toMatchObject({ postgres: { status: 'away', message: 'Postgres cannot be reached.' } });
    expect(status).toBe(200);
    ids.push(await insist('unserved'));
    expect(await endsOf(ids)).toEqual([...succeeded, ['succeeded', '7']]);
    expect(processes()).toEqual(before);
    // One whose clock asked nothing in these few seconds has not noticed.
    const logs = (): string => baton.apps.map(({ log }) => log()).join('');
    await expect.poll(logs).toMatch(/"msg":"Postgres answers again; it was away for [\d.]+ m?s"/);
  });
});

describe('with a Postgres that says no', () => {
  test.each([
    ['recovers', { toNew: '57P03', toOpen: '57P02' }],
    ['shuts down', { toNew: '57P03', toOpen: '57P01' }],
    ['is out of memory', { toNew: '53200', toOpen: '53200' }],
  ])('it %s: requests are told to come again, and no process ends of it', async (_what, refusal) => {
    const before = processes();
    const ids = await startAll();
    const looked = 'a background task failed: triggers of resources';
    const looks = (): number =>
      baton.orchestrators.map((app) => app.log().split(looked).length).reduce((a, b) => a + b);
    const looksBefore = looks();
    postgres.sayNo(refusal);
    const answers = await everyKind(ids[0] ?? '');
    const parts = await untilDown();
    // What is looked at every few seconds goes through Prisma: until that has failed, nothing is shown.
    await expect.poll(looks).toBeGreaterThan(looksBefore);
    postgres.sayNo(undefined);
    expect(answers.map(told)).toEqual(answers.map(() => isAway));
    expect(parts).toMatchObject({ postgres: { status: 'away' } });
    ids.push(await insist('unserved'));
    expect(await endsOf(ids)).toEqual([...succeeded, ['succeeded', '7']]);
    expect(processes()).toEqual(before);
  });
});

describe('with a network that swallows', () => {
  /** From the request to the end of the run. */
  const elapsedMs = async (key: string): Promise<number> => {
    const startMs = performance.now();
    await baton.ended(await insist(key));
    return performance.now() - startMs;
  };

  test.each([
    ['forgets connections that are open', 'forgotten', async () => postgres.forget()],
    [
      'passes nothing for a while',
      'swallowed',
      async () => {
        postgres.silence(true);
        await untilDown();
        postgres.silence(false);
      },
    ],
  ])('and %s: ten seconds after its return runs are taken in and end', async (_what, key, fault) => {
    const before = processes();
    const usualMs = await elapsedMs(`before-${key}`);
    await fault();
    // On a machine that others load a run takes longer, with a fault and without; and here it is asked for twice at least.
    expect((await elapsedMs(key)) - 3 * usualMs).toBeLessThan(10_000);
    expect(processes()).toEqual(before);
  });
});

describe('with the disk of Postgres full', () => {
  test('nothing is written by halves, and all goes on when there is room again', async () => {
    const operator = new Client({ connectionString: baton.databaseUrl });
    await operator.connect();
    try {
      await operator.query(
        `create function no_space() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
      );
      const ids = await startAll();
      await operator.query(
        'create trigger no_space before insert on run_event for each statement execute function no_space()',
      );
      const answer = await ask('no-space');
      const { rows } = await operator.query(
        `select (select count(*)::int from run where 'no-space' = any(tags)) as runs,
          (select count(*)::int from idempotency_key where key = 'no-space') as keys`,
      );
      const reading = await baton.api('GET', `/v1/runs/${ids[0]}`);
      const parts = await untilDown();
      await operator.query('drop trigger no_space on run_event');
      expect(told(answer)).toEqual(isAway);
      expect(rows).toEqual([{ runs: 0, keys: 0 }]);
      expect(reading.status).toBe(200);
      expect(parts).toMatchObject({ postgres: { status: 'away' } });
      ids.push(await insist('no-space'));
      expect(await endsOf(ids)).toEqual([...succeeded, ['succeeded', '7']]);
    } finally {
      await operator.end();
    }
  });
});
