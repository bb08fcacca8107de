/** Failed runs by cause, and the filter for the runs of one cause. No worker runs here. */
import type { FailureCauses } from '@baton/api';
import type { Failure } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  for (const workflow of ['sync', 'copy']) await app.deploy(`workflow: ${workflow}\nsteps:\n  - set: { a: 1 }\n`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

/** What a worker would append. */
async function failedRun(workflow: string, message: string, step = 'pull', tag = 'none'): Promise<string> {
  const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: { tags: [tag] } });
  const failure: Failure = { code: 'tool-failed', message, step };
  await advance(store.journal, String(body['id']), ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    { type: 'run.finished', at, status: 'failed', failure },
  ]);
  return String(body['id']);
}

const causes = async (query = '', key?: string): Promise<FailureCauses> =>
  (await app.ask(`GET /v1/runs/causes${query}`, key === undefined ? {} : { key })).body as unknown as FailureCauses;

const idsIn = async (query: string): Promise<unknown[]> =>
  ((await app.ask(`GET /v1/runs?${query}`)).body['data'] as { id: string }[]).map(({ id }) => id);

test('Failed runs are grouped by workflow, step and cause, and `like` selects the runs of one of them everywhere', async () => {
  const locked = [await failedRun('sync', 'row 7 is locked'), await failedRun('sync', 'row 19 is locked')];
  const disk = await failedRun('sync', 'no disk', 'push', 'night');
  const ofCopy = await failedRun('copy', 'row 7 is locked');
  await app.ask(`POST /v1/runs/${locked[0]}/retry`, { json: {} });

  const { data, ...span } = await causes();
  expect(data.map(({ first: _first, last: _last, counts, ...cause }) => ({ ...cause, counted: sum(counts) }))).toEqual([
    {
      workflow: 'sync',
      step: 'pull',
      code: 'tool-failed',
      cause: 'row … is locked',
      count: 2,
      counted: 2,
      retried: 1,
      run: locked[1],
      message: 'row 19 is locked',
    },
    expect.objectContaining({ workflow: 'copy', run: ofCopy, count: 1 }),
    expect.objectContaining({ step: 'push', run: disk, count: 1, retried: 0 }),
  ]);
  expect(span).not.toHaveProperty('cut');
  expect((await causes('?tag=night')).data).toMatchObject([{ run: disk }]);
  expect((await causes('?to=2020-01-01')).data).toEqual([]);

  expect(await idsIn(`like=${locked[0]}`)).toEqual(locked.toReversed());
  expect(await idsIn(`like=${locked[0]}&workflow=copy`)).toEqual([]);
  expect(await idsIn(`like=${locked[0]}&retried=no`)).toEqual([locked[1]]);
  expect(await idsIn('retried=yes')).toEqual([locked[0]]);
  const preview = { filter: { like: locked[1] }, preview: true };
  expect((await app.ask('POST /v1/runs/retry', { json: preview })).body).toMatchObject({ count: 1 });
  const all = `from=2020-01-01T00:00:00Z&to=2099-01-01T00:00:00Z&buckets=1&like=${locked[0]}`;
  expect((await app.ask(`GET /v1/runs/histogram?${all}`)).body).toMatchObject({ data: [{ counts: { failed: 2 } }] });
});

test('A key sees no causes of workflows that are not its own, and cannot ask whether a run of one has failed', async () => {
  const hidden = await failedRun('sync', 'a secret place');
  const key = await app.newKey(['runs:read'], { workflows: ['copy'] });
  expect((await causes('', key)).data.map(({ workflow }) => workflow)).toEqual(['copy']);
  const refused = { status: 422, body: { errors: [{ pointer: '?like', message: 'No failed run has this id.' }] } };
  expect(await app.ask(`GET /v1/runs?like=${hidden}`, { key })).toMatchObject(refused);
  const unknown = '01a21c2a-47a2-7961-96a7-32085e0df1a8';
  expect(await app.ask(`GET /v1/runs?like=${unknown}`)).toMatchObject(refused);
  expect(await app.ask('GET /v1/runs?like=nope')).toMatchObject(refused);
  const body = { filter: { like: unknown }, preview: true };
  expect(await app.ask('POST /v1/runs/retry', { json: body })).toMatchObject({
    body: { errors: [{ pointer: '/filter/like' }] },
  });
});

test('A failure with texts that Postgres cannot read has a cause like others', async () => {
  const run = await failedRun('copy', 'half \ud800 and \0 nothing');
  expect((await causes(`?like=${run}`)).data).toMatchObject([{ run, count: 1 }]);
});

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
