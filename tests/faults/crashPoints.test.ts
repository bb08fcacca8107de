/**
 * Goal: a worker may be killed at whichever await it stands, and again while another one recovers from that.
 * Method: one workflow, driven by the production runner on real Postgres over real sessions, as many times as there are
 * points at which it reaches out or is answered; the n-th stands still at the n-th point, and when all stand the process
 * is killed with SIGKILL. A second process recovers them and is killed in the same way, at each of its points in turn; a
 * third one finishes. What really happened is in the ledger of the tool server, on disk before a call does anything.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Run, replay, rowOf, stateAt } from '@baton/engine';
import { stateOwner } from '@baton/runner';
import {
  type FreshStore,
  type LedgerEntry,
  appFile,
  freshStore,
  readLedger,
  requestedEvent,
  toolsServer,
} from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Mission, Order } from './mortalWorker.ts';

const referenceWorkflow = `workflow: reference
defaults: { retry: { attempts: 2, delay: 5ms } }
steps:
  - id: look
    tool: work/echo
    with: { message: look }
  - id: first
    tool: work/write
    with: { n: first }
    onError: ignore
  - parallel:
      - id: second
        tool: work/write
        with: { n: second }
        onError: ignore
      - id: beside
        tool: work/echo
        with: { message: beside }
  - id: last
    tool: work/write
    with: { n: last }
    ifUnknown: retry
    retry: { attempts: 9 }
`;

/**
 * Its write is one whose server can be asked, and it counts itself in the state. A loaded machine may fail to reach the
 * server in time, and is not what is tried here.
 */
const askedWorkflow = `workflow: asked
state: { runs: { type: integer, default: 0 } }
defaults: { retry: { attempts: 9, delay: 5ms } }
steps:
  - id: asked
    tool: work/post
    with: { of: "\${{ run.id }}" }
  - state: { runs: "\${{ state.runs + 1 }}" }
outputs: { of: "\${{ steps.asked.output.of }}" }
`;

const check = {
  tool: 'posted',
  with: { of: '${{ call.arguments.of }}' },
  happened: 'result.output.times > 0',
  output: 'result.output.posts[0]',
};

/** Writes that are never to be repeated. */
const unrepeatable = new Set(['first', 'second']);
/** Points of a recovery at which it is killed again. */
const secondDeaths = 24;

const folder = mkdtempSync(join(tmpdir(), 'baton-crash-'));
const ledger = join(folder, 'ledger');
let store: FreshStore;
let server: object;

beforeAll(async () => {
  store = await freshStore();
  server = { ...toolsServer(ledger), baton: { concurrency: 50, tools: { post: { check } } } };
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The points that each mission passed; undefined: it was killed, as it should be. */
async function drive(
  worker: string,
  missions: readonly Mission[],
  workflow = referenceWorkflow,
): Promise<readonly number[] | undefined> {
  const child = fork(appFile('mortalWorker'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const order: Order = { databaseUrl: store.url, worker, workflow, server, missions };
  let points: readonly number[] | undefined;
  child.on('message', (message) => (points = message as readonly number[]));
  child.send(order);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  expect([points === undefined, signal]).toEqual([signal === 'SIGKILL', signal]);
  return points;
}

async function newRuns(count: number): Promise<string[]> {
  const requests = Array.from({ length: count }, () => store.request({ event: requestedEvent({ at: Date.now() }) }));
  return (await Promise.all(requests)).map(({ runId }) => runId);
}

async function runOf(runId: string): Promise<Run> {
  const opened = await store.journal.open(runId);
  if (opened === undefined) throw new Error(`there is no run ${runId}`);
  return replay(runId, opened.events);
}

/** The attempt that a call was: `<run>/<path>#<attempt>`. */
const attemptOf = ({ meta }: LedgerEntry): string => String(meta?.['baton/attempt']);

/** What is wrong with how a run came through: nothing. */
async function faultsOf(runId: string, calls: readonly LedgerEntry[]): Promise<string[]> {
  const run = await runOf(runId);
  const writes = calls.filter(({ call }) => call === 'write');
  const doubled = writes.length - new Set(writes.map(attemptOf)).size;
  return [
    ...(run.status === 'succeeded' ? [] : [`it is ${run.status}: ${rowOf(run).failure?.message}`]),
    ...(doubled === 0 ? [] : [`${doubled} attempts were made twice`]),
    ...['first', 'second', 'last'].flatMap((step) => {
      const times = writes.filter((call) => call.arguments?.['n'] === step).length;
      const status = stateAt(run, step)?.status;
      const isRepeated = unrepeatable.has(step) && times > 1;
      const isInvented = status === 'succeeded' && times === 0;
      return isRepeated || isInvented ? [`${step} is ${status} and was done ${times} times`] : [];
    }),
  ];
}

test('killed at each point, and once more at each point of the recovery: all runs end, nothing is done twice', async () => {
  const [pilot = ''] = await newRuns(1);
  const [all = 0] = (await drive('pilot', [{ runId: pilot }])) ?? [];
  expect(all).toBeGreaterThan(15);
  const first = Array.from({ length: all }, (_, at) => at + 1);
  const pairs = first.flatMap((one) => Array.from({ length: secondDeaths + 1 }, (_, two) => [one, two] as const));
  const runIds = await newRuns(pairs.length);
  const missions = pairs.map(([one, two], index) => ({ runId: runIds[index] ?? '', one, two }));
  await drive(
    'first',
    missions.map(({ runId, one }) => ({ runId, until: one })),
  );
  const again = missions.filter(({ two }) => two > 0);
  await drive(
    'second',
    again.map(({ runId, two }) => ({ runId, until: two })),
  );
  await drive(
    'third',
    runIds.map((runId) => ({ runId })),
  );
  const calls = Map.groupBy(readLedger(ledger), (entry) => attemptOf(entry).split('/')[0] ?? '');
  const faults = await Promise.all(
    missions.map(async ({ runId, one, two }) =>
      (await faultsOf(runId, calls.get(runId) ?? [])).map((fault) => `killed at ${one} and ${two}: ${fault}`),
    ),
  );
  expect(faults.flat()).toEqual([]);
  // Deaths in the middle of a write were among them.
  const runs = await Promise.all(runIds.map(runOf));
  expect(runs.some((run) => stateAt(run, 'first')?.status === 'unknown')).toBe(true);
  expect(runs.some((run) => stateAt(run, 'last')?.attempt === 3)).toBe(true);
});

test('A worker killed at each point of a write whose server can be asked leaves runs that succeed, and one write each', async () => {
  const post = (worker: string, missions: readonly Mission[]) => drive(worker, missions, askedWorkflow);
  const [pilot = ''] = await newRuns(1);
  const [all = 0] = (await post('pilot', [{ runId: pilot }])) ?? [];
  const first = Array.from({ length: all }, (_, at) => at + 1);
  const pairs = first.flatMap((one) => Array.from({ length: all }, (_, two) => [one, two] as const));
  const runIds = await newRuns(pairs.length);
  const missions = pairs.map(([one, two], index) => ({ runId: runIds[index] ?? '', one, two }));
  await post(
    'first',
    missions.map(({ runId, one }) => ({ runId, until: one })),
  );
  const again = missions.filter(({ two }) => two > 0);
  await post(
    'second',
    again.map(({ runId, two }) => ({ runId, until: two })),
  );
  await post(
    'third',
    runIds.map((runId) => ({ runId })),
  );
  const calls = Map.groupBy(
    readLedger(ledger).filter(({ call }) => call === 'post'),
    ({ arguments: given }) => String(given?.['of']),
  );
  const runs = await Promise.all(runIds.map(runOf));
  expect(runs.flatMap((run) => rowOf(run).failure ?? [])).toEqual([]);
  expect(runs.map((run) => [run.status, calls.get(run.id)?.length])).toEqual(runs.map(() => ['succeeded', 1]));
  // Each of them, and the pilot, wrote the state once.
  const [one] = runs;
  const state = await store.state.read(stateOwner(one ?? { workflow: '', version: undefined }));
  expect(state.get('runs')?.revision).toBe(runs.length + 1);
  // Of some the check found that they had happened, and of some that they had not.
  const asked = runs.filter((run) => stateAt(run, 'asked/@check1/tool-1') !== undefined);
  expect(new Set(asked.map((run) => stateAt(run, 'asked')?.attempt)).size).toBeGreaterThan(1);
});
