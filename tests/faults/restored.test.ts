import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ProblemError } from '@baton/api/client';
import { appFile, freshDatabase, readLedger, restorePoint, toolsServer } from '@baton/testing';
import { afterAll, expect, test } from 'vitest';

import { type App, Installation } from '../installation.ts';

/** `FENCE_WRITES=10000 npx vitest run --project e2e tests/faults/restored.test.ts` makes about so many writes. */
const writes = Number(process.env['FENCE_WRITES'] ?? 120);
const writesPerRun = 4;
/** A third of the writes before the snapshot, a third while it is taken, and a third after it. */
const runsAtATime = Math.ceil(writes / writesPerRun / 3);

const step = (n: number): string => `  - { id: s${n}, tool: work/write, with: { n: "p-\${{ inputs.run }}-${n}" } }\n`;
const paying = `workflow: paying
inputs: { run: { type: integer } }
steps:
${Array.from({ length: writesPerRun }, (_, n) => step(n)).join('')}`;
/** A run that waits in its middle: at the snapshot, and until it is signalled after it. */
const held = `workflow: held
inputs: { run: { type: integer } }
steps:
  - { id: before, tool: work/write, with: { n: "h-\${{ inputs.run }}-before" } }
  - { id: go, wait: { signal: go } }
  - { id: after, tool: work/write, with: { n: "h-\${{ inputs.run }}-after" } }
`;

const folder = mkdtempSync(join(tmpdir(), 'baton-restored-'));
const ledger = join(folder, 'ledger');
const env = {
  BATON_ADMIN_KEY: randomBytes(24).toString('hex'),
  BATON_SECRET_KEY: randomBytes(32).toString('base64'),
  BATON_FENCE: join(folder, 'fence.json'),
};
const options = { servers: { work: toolsServer(ledger) }, env };
const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

const madeOf = (n: string): number => readLedger(ledger).filter((entry) => entry.arguments?.['n'] === n).length;

function doubled(): string[] {
  const made = readLedger(ledger).flatMap(({ call, arguments: given }) =>
    call === 'write' ? [String(given?.['n'])] : [],
  );
  return made.filter((n, at) => made.indexOf(n) !== at);
}

async function cli(url: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [appFile('cli'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url, BATON_DATA: folder, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  expect([code, said]).toEqual([0, expect.any(String)]);
  return said;
}

async function waiting(baton: Installation, id: string): Promise<void> {
  await expect.poll(async () => (await baton.run(id)).status, { timeout: 60_000 }).toBe('waiting');
}

const signal = (baton: Installation, id: string): Promise<unknown> => baton.client.runs.signal(id, 'go');

const kill = (apps: readonly App[]): Promise<unknown> => Promise.all(apps.map((app) => app.kill('SIGKILL')));

let restored: Installation;

test('After a restore no write of the lost time is made again, and nothing goes on before the fence is lifted', async () => {
  const baton = await Installation.start(options);
  stops.push(() => baton.stop());
  await baton.deploy(paying);
  await baton.deploy(held);
  let run = 0;
  const load = (): Promise<string>[] =>
    Array.from({ length: runsAtATime }, () => baton.start('paying', { run: run++ }));
  const all = async (ids: readonly Promise<string>[]): Promise<void> => {
    for (const id of ids) expect((await baton.ended(await id)).status).toBe('succeeded');
  };
  const waits = await Promise.all([0, 1].map((n) => baton.start('held', { run: n })));
  await all(load());
  for (const id of waits) await waiting(baton, id);
  const during = load();
  const file = join(folder, 'baton.backup');
  await cli(baton.databaseUrl, 'backup', file);
  await all(during);
  await signal(baton, waits[0] ?? '');
  await baton.ended(waits[0] ?? '');
  await all(load());
  await kill(baton.apps);
  const before = readLedger(ledger).length;

  const drilled = await cli(baton.databaseUrl, 'restore', '--drill', file);
  for (const said of ['Restored as of', 'The audit is intact', 'may have made work/write', 'the database is removed'])
    expect(drilled).toContain(said);
  const database = await freshDatabase();
  stops.push(() => database.drop());
  expect(await cli(database.url, 'restore', file)).toContain('no run goes on until `baton fence lift`');
  restored = await Installation.start({ ...options, databaseUrl: database.url });
  stops.push(() => restored.stop());
  expect((await restored.api('GET', '/readyz')).body).toMatchObject({ status: 'fenced' });
  const refused = await restored.client.runs.start('paying', { run: -1 }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect(refused).toMatchObject({ code: 'fenced' });
  const fence = await restored.client.fence.show();
  expect(fence).toMatchObject({ stands: true, cause: 'restored' });
  const paused = fence.runs.filter(({ id }) => waits.includes(id));
  expect(paused.map(({ calls }) => calls)).toEqual(paused.map(() => ['work/write']));
  // Of very many active runs, the fence names the first.
  expect(paused.length === waits.length || fence.runs.length < fence.activeRuns).toBe(true);
  expect(readLedger(ledger)).toHaveLength(before);

  const { runs } = await restored.client.fence.lift({ reason: 'the test restored it' });
  expect(runs).toBe(fence.activeRuns);
  for (const id of waits) {
    await signal(restored, id);
    expect((await restored.ended(id)).error).toMatchObject({ code: 'outcome-unknown', step: 'after' });
  }
  const goingOn = async (): Promise<number> => {
    const { queued, running } = await restored.client.system.queue();
    return queued + running;
  };
  await expect.poll(goingOn, { timeout: 300_000 }).toBe(0);
  expect([madeOf('h-0-after'), madeOf('h-1-after'), doubled()]).toEqual([1, 0, []]);
  // New runs are accepted.
  const fresh = await restored.ended(await restored.start('paying', { run: run++ }));
  expect(fresh.status).toBe('succeeded');
  const { body } = await restored.api('GET', '/v1/audit?action=fence.lifted');
  expect(body['data']).toMatchObject([{ detail: { reason: 'the test restored it', cause: 'restored' } }]);
});

test('Processes under which Postgres goes back in time end, begin anew behind the fence, and repeat no write', async () => {
  const id = await restored.start('held', { run: 7 });
  await waiting(restored, id);
  const point = await restorePoint(restored.databaseUrl);
  await expect.poll(() => signal(restored, id).then(Boolean, () => false), { timeout: 60_000 }).toBe(true);
  expect((await restored.ended(id)).status).toBe('succeeded');
  // Processes look each second what Postgres has: none of them knows what was lost before its next look.
  const endedAt = performance.now();
  await expect.poll(() => performance.now() - endedAt, { timeout: 60_000 }).toBeGreaterThan(5_000);
  const apps = restored.apps;
  await point.goBack();
  const left = (): string[] =>
    apps.filter(({ child }) => child.exitCode === null && child.signalCode === null).map((app) => app.log());
  await expect.poll(left, { timeout: 120_000 }).toEqual([]);
  expect(apps.map((app) => app.log())).toEqual(
    apps.map(() => expect.stringContaining('Postgres went back in time') as string),
  );
  await restored.startOrchestrator();
  await restored.startWorker();
  expect((await restored.api('GET', '/readyz')).body).toMatchObject({ status: 'fenced' });
  await restored.client.fence.lift({ reason: 'the test promoted it' });
  await signal(restored, id);
  expect((await restored.ended(id)).error).toMatchObject({ code: 'outcome-unknown', step: 'after' });
  expect([madeOf('h-7-after'), doubled()]).toEqual([1, []]);
});
