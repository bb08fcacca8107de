import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type FreshStore, freshStore, readLedger, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { overMcp } from '../../testing/overMcp.ts';
import { ownedBySession } from '../../testing/ownedRuns.ts';
import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';
import { openStream } from '../../testing/testStream.ts';
import { type TestWorker, startTestWorker } from '../../testing/testWorker.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;
let url: string;
let key: string;

const check = {
  tool: 'posted',
  with: { of: '${{ call.arguments.seenAs }}' },
  happened: 'result.output.times > 0',
  output: 'result.output.posts[0]',
};
const undo = { tool: 'write', with: { undoes: '${{ call.output.of }}' } };
const flakyUndo = { tool: 'flaky', with: { failures: 1, undoes: '${{ call.arguments.message }}' } };

const dyingUndo = { tool: 'crash', with: { undoes: '${{ call.arguments.message }}' } };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-undo-'));
  store = await freshStore();
  const tools = { post: { check, undo }, stubborn: { undo: flakyUndo } };
  // Its undo reads nothing that a check found: only the check keeps it from being made.
  const { output: _output, ...bare } = check;
  const post = { check: bare, undo: { tool: 'write', with: { undoes: '${{ call.arguments.of }}' } } };
  const servers = {
    tools: { ...toolsServer(join(folder, 'ledger')), baton: { tools } },
    bare: { ...toolsServer(join(folder, 'bare')), baton: { tools: { post, stubborn: { undo: dyingUndo } } } },
  };
  app = await openTestApp(store, store.url, { servers });
  url = await app.listen();
  key = await app.newKey(['runs:read']);
  worker = await startTestWorker(store.url, servers);
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** What was undone, in the order of the calls. */
const undone = (): unknown[] =>
  [...readLedger(join(folder, 'ledger')), ...readLedger(join(folder, 'bare'))].flatMap(
    ({ arguments: given = {} }) => given['undoes'] ?? [],
  );

/** The stream of its events ends when the run does. */
async function ended(id: unknown): Promise<TestAnswer['body']> {
  const stream = await openStream(`${url}/v1/runs/${String(id)}/events`, { key });
  await stream.rest();
  return (await app.ask(`GET /v1/runs/${String(id)}`)).body;
}

/** Deploys the steps as a workflow, and runs them to their end. */
async function ranWith(workflow: string, steps: string): Promise<string> {
  await app.deploy(`workflow: ${workflow}\nsteps:\n${steps}`);
  const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {} });
  await ended(body['id']);
  return String(body['id']);
}

const post = (id: string, more = ''): string =>
  `  - { id: ${id}, tool: tools/post, onError: ignore, ifUnknown: fail, with: { of: ${id}, seenAs: ${id}${more} } }\n`;

test('A run is undone once, the last write first, by a run that lists what it could not undo', async () => {
  const id = await ranWith(
    'booked',
    `${post('hotel')}${post('flight')}  - { id: note, tool: tools/write }\n  - { tool: tools/echo, with: { message: x } }\n`,
  );
  const preview = await app.ask(`POST /v1/runs/${id}/undo`, { json: { preview: true } });
  expect(preview).toMatchObject({ status: 200 });
  const calls = ['flight', 'hotel'].map((path) => ({
    path,
    target: 'tools/post',
    outcome: 'succeeded',
    call: 'tools/write',
    arguments: { undoes: path },
  }));
  const why = 'No undo is declared for write in the version that the run executed.';
  const left = [{ path: 'note', target: 'tools/write', outcome: 'succeeded', why }];
  expect(preview.body).toEqual({ undoOf: id, calls, left, children: [] });
  const pressed = await Promise.all([1, 2, 3].map(() => app.ask(`POST /v1/runs/${id}/undo`)));
  const [undoId] = new Set(pressed.map(({ body }) => body['id']));
  expect(pressed.map(({ status, body }) => [status, body['id']])).toEqual([1, 2, 3].map(() => [202, undoId]));
  const run = await ended(undoId);
  expect(run).toMatchObject({ status: 'succeeded', workflow: 'booked', rerunOf: id, trigger: { kind: 'undo' } });
  expect(undone()).toEqual(['flight', 'hotel']);
  expect((await app.ask(`POST /v1/runs/${id}/undo`)).body).toMatchObject({ id: undoId });
});

test('An unknown write is looked up first, and undone only if it happened; what cannot be looked up stays', async () => {
  const lost = (server: string, id: string, seenAs: string): string =>
    `  - { id: ${id}, tool: ${server}/post, onError: ignore, ifUnknown: fail, with: { of: ${id}, seenAs: ${seenAs}, dies: true } }\n`;
  const crashed = '  - { id: gone, tool: tools/crash, onError: ignore }\n';
  const id = await ranWith('lost', `${lost('tools', 'happened', 'happened')}${lost('bare', 'not', 'never')}${crashed}`);
  const { body } = await app.ask(`POST /v1/runs/${id}/undo`, { json: { preview: true } });
  const asked = (server: string, of: string) => ({
    outcome: 'unknown',
    check: { call: `${server}/posted`, arguments: { of } },
  });
  expect(body).toMatchObject({
    calls: [
      { path: 'not', ...asked('bare', 'never') },
      { path: 'happened', ...asked('tools', 'happened') },
    ],
    left: [{ path: 'gone', outcome: 'unknown' }],
  });
  expect((body['calls'] as object[]).every((call) => !('arguments' in call))).toBe(true);
  const run = await ended((await app.ask(`POST /v1/runs/${id}/undo`)).body['id']);
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(undone().filter((one) => one === 'happened' || one === 'not' || one === 'never')).toEqual(['happened']);
});

test('An undo whose call fails has failed, and another undo makes only the calls that are left', async () => {
  const stubborn = '  - { id: kept, tool: tools/stubborn, with: { message: kept, ms: 1 } }\n';
  const id = await ranWith('halfway', `${post('first')}${stubborn}`);
  const undoing = async (): Promise<string> => String((await app.ask(`POST /v1/runs/${id}/undo`)).body['id']);
  const undoId = await undoing();
  expect(await ended(undoId)).toMatchObject({ status: 'failed', error: { code: 'not-undone' } });
  expect(undone().filter((one) => one === 'first' || one === 'kept')).toEqual(['kept', 'first']);
  const { body } = await app.ask(`POST /v1/runs/${undoId}/retry`);
  expect(body['detail']).toContain('Another undo of that one makes the calls that are left.');
  const again = await undoing();
  expect(await ended(again)).toMatchObject({
    status: 'succeeded',
    steps: [{ path: 'undo_1' }, { path: 'over_1' }, {}],
  });
  expect(undone().filter((one) => one === 'first' || one === 'kept')).toEqual(['kept', 'first', 'kept']);
  expect(again).not.toBe(undoId);
  expect(await undoing()).toBe(again);
  expect((await app.ask(`GET /v1/runs/${id}`)).body).toMatchObject({ status: 'succeeded', undoneAs: again });
});

test('An undo whose own answer was lost is not made again: the write is listed as one that nothing takes back', async () => {
  const id = await ranWith('twice', '  - { id: spent, tool: bare/stubborn, with: { message: spent, ms: 1 } }\n');
  const undoId = (await app.ask(`POST /v1/runs/${id}/undo`)).body['id'];
  expect(await ended(undoId)).toMatchObject({ status: 'failed', error: { code: 'not-undone' } });
  const why = 'Its undo was called, and whether that happened is not known.';
  expect((await app.ask(`POST /v1/runs/${id}/undo`)).body).toMatchObject({ id: undoId, calls: [], left: [{ why }] });
  expect(undone().filter((one) => one === 'spent')).toEqual(['spent']);
});

test('A run that was undone is not retried, since its retry would keep what is gone', async () => {
  const id = await ranWith('dropped', `${post('seat')}  - { id: end, fail: it is over }\n`);
  const retried = (await app.ask(`POST /v1/runs/${id}/retry`)).body['id'];
  await ended(retried);
  const undo = (await app.ask(`POST /v1/runs/${id}/undo`)).body['id'];
  await ended(undo);
  for (const of of [id, String(retried)]) {
    const { status, body } = await app.ask(`POST /v1/runs/${of}/retry`);
    expect([status, body['detail']]).toEqual([
      409,
      expect.stringContaining(`The run ${String(undo)} was started to undo`),
    ]);
  }
  expect((await app.ask(`POST /v1/runs/${id}/rerun`, { json: { preview: true } })).body).toMatchObject({
    again: [{ path: 'seat' }],
  });
});

test('What cannot be undone is refused with the reason: a run that is not over, one that wrote nothing, a session', async () => {
  const why = async (id: string): Promise<unknown[]> => {
    const { status, body } = await app.ask(`POST /v1/runs/${id}/undo`);
    return [status, body['detail']];
  };
  const reading = await ranWith('reading', '  - { tool: tools/echo, with: { message: x } }\n');
  expect(await why(reading)).toEqual([409, expect.stringContaining('There is nothing to undo')]);
  const unable = await ranWith('unable', '  - { id: note, tool: tools/write }\n');
  expect(await why(unable)).toEqual([409, expect.stringContaining('note: No undo is declared for write')]);
  const own = '  - { id: mine, tool: tools/post, with: { of: mine }, undo: { tool: tools/write } }\n';
  const group = `  - id: all\n    undo: { tool: tools/write }\n    steps:\n      - { id: mine, tool: tools/post, with: { of: mine } }\n`;
  for (const [at, steps] of [own, group].entries())
    expect(await why(await ranWith(`own-${at}`, steps))).toEqual([
      409,
      expect.stringContaining('an `undo` of its own'),
    ]);
  const asking = await app.ask('POST /v1/runs', { json: { workflow: 'workflow: asks\nsteps: [{ ask: Go on? }]\n' } });
  expect(await why(String(asking.body['id']))).toEqual([409, expect.stringContaining('Wait for it, or cancel it.')]);
  const session = await ownedBySession(app, store);
  expect(await why(session.over)).toEqual([409, expect.stringContaining('A session cannot be undone')]);
});

test('An agent undoes a run over MCP after a preview', async () => {
  const id = await ranWith('agent', post('desk'));
  const writer = await app.newKey(['runs:write', 'runs:read']);
  expect(await overMcp(app, writer, 'undo_run', { id, preview: true })).toContain('Nothing is started yet');
  expect(await overMcp(app, writer, 'undo_run', { id })).toMatch(/The run \S+ is its undo/);
});
