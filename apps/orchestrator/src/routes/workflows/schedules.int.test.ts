import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  for (const name of ['nightly', 'weekly']) {
    const on = `on:\n  - { schedule: "0 6 * * *", timezone: Europe/Berlin, inputs: { org: acme } }\n`;
    await app.deploy(`workflow: ${name}\n${on}inputs: { org: { type: string } }\nsteps:\n  - set: { a: 1 }\n`);
  }
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const nightly = '/v1/schedules/nightly.schedule-1';

describe('/v1/schedules', () => {
  test('lists what is deployed, with what comes next', async () => {
    const { body } = await app.ask('GET /v1/schedules');
    const data = body['data'] as { id: string; next: string[] }[];
    expect(data.map(({ id }) => id)).toEqual(['nightly.schedule-1', 'weekly.schedule-1']);
    expect(data[0]?.next).toHaveLength(5);
    expect(data[0]?.next[0]).toMatch(/T0[45]:00:00\.000Z$/);
    const page = await app.ask('GET /v1/schedules?limit=1');
    const rest = await app.ask(`GET /v1/schedules?limit=1&cursor=${page.body['nextCursor'] as string}`);
    expect([...(page.body['data'] as object[]), ...(rest.body['data'] as object[])]).toEqual(data);
  });

  test('tells who asks for a workflow what its schedules are called', async () => {
    const { status, body } = await app.ask('GET /v1/schedules/nightly');
    expect([status, body['detail']]).toEqual([
      404,
      'There is no schedule "nightly". Did you mean "nightly.schedule-1"?',
    ]);
    const unknown = await app.ask('GET /v1/schedules/hourly');
    expect(unknown.body['detail']).toBe('There is no schedule "hourly".');
  });

  test('pauses and resumes a schedule', async () => {
    expect((await app.ask(`POST ${nightly}/pause`)).body).toMatchObject({ paused: true, next: [] });
    expect((await app.ask(`POST ${nightly}/pause`)).status).toBe(200);
    const resumed = await app.ask(`POST ${nightly}/resume`);
    expect(resumed.body).toMatchObject({ paused: false });
    expect(resumed.body['next']).toHaveLength(5);
  });

  test('runs a schedule now, with its inputs', async () => {
    const fired = await app.ask(`POST ${nightly}/trigger`);
    expect(fired.status).toBe(202);
    expect(fired.body['next']).toEqual((await app.ask(`GET ${nightly}`)).body['next']);
    expect(fired.body['next']).toHaveLength(5);
    const run = await app.ask(`GET /v1/runs/${fired.body['id'] as string}`);
    expect(run.body).toMatchObject({
      inputs: { org: 'acme' },
      trigger: { kind: 'schedule', detail: { schedule: 'nightly.schedule-1', manual: true } },
    });
  });

  test('shows the next time in every answer, and none while the schedule is paused', async () => {
    const weekly = '/v1/schedules/weekly.schedule-1';
    const json = { from: '2026-03-28T00:00:00Z', to: '2026-03-28T01:00:00Z', preview: true };
    await app.ask(`POST ${weekly}/pause`);
    for (const [act, more] of [['trigger', {}] as const, ['backfill', { json }] as const])
      expect((await app.ask(`POST ${weekly}/${act}`, more)).body['next']).toEqual([]);
    const { next } = (await app.ask(`POST ${weekly}/resume`)).body;
    expect(next).toHaveLength(5);
    for (const [act, more] of [['trigger', {}] as const, ['backfill', { json }] as const])
      expect((await app.ask(`POST ${weekly}/${act}`, more)).body['next']).toEqual(next);
  });

  test('A schedule at /v1/schedules says its times where they are an interval, or come once', async () => {
    const on = ['every: 90m', 'at: 2999-12-24T10:00, timezone: Europe/Berlin', 'at: 2020-01-01T00:00:00Z'];
    const deployed = await app.ask('POST /v1/workflows', {
      headers: { 'content-type': 'application/yaml' },
      payload: `workflow: timed\non: [${on.map((one) => `{ ${one} }`).join(', ')}]\nsteps: [{ set: {} }]\n`,
    });
    expect(deployed.body).toMatchObject({
      findings: [{ code: 'schedule-past' }],
      schedules: [
        { id: 'timed.schedule-1', change: 'new', times: 'every 90m' },
        { id: 'timed.schedule-2', change: 'new', times: 'at 2999-12-24T10:00', timezone: 'Europe/Berlin' },
        { id: 'timed.schedule-3', change: 'new', times: 'at 2020-01-01T00:00:00Z' },
      ],
    });
    const { data } = (await app.ask('GET /v1/schedules?workflow=timed')).body as { data: { next: string[] }[] };
    const [interval, once, past] = data;
    expect(interval?.next.map((at) => Date.parse(at) % 5_400_000)).toEqual([0, 0, 0, 0, 0]);
    expect(once).toMatchObject({ next: ['2999-12-24T09:00:00.000Z'], catchUp: 'latest' });
    expect([past?.next, data.some((one) => 'cron' in one)]).toEqual([[], false]);
    await app.ask('DELETE /v1/workflows/timed');
  });

  test('keeps its pause, its times and its name at another place in the file', async () => {
    const deployed = async (...on: readonly string[]): Promise<unknown> => {
      const steps = 'steps:\n  - set: { a: 1 }\n';
      const answer = await app.ask('POST /v1/workflows', {
        headers: { 'content-type': 'application/yaml' },
        payload: `workflow: moved\non: [${on.map((one) => `{ schedule: ${one} }`).join(', ')}]\n${steps}`,
      });
      return (answer.body['schedules'] as { id: string; change: string; paused: boolean }[]).map(
        ({ id, change, paused }) => `${id.slice('moved.'.length)} ${change}${paused ? ' paused' : ''}`,
      );
    };
    const old = '"0 3 1 1 *"';
    expect(await deployed(old, '"0 4 * * *"')).toEqual(['schedule-1 new', 'schedule-2 new']);
    await app.ask('POST /v1/schedules/moved.schedule-1/pause');
    expect(await deployed('"0 5 * * *"', old, '"0 4 * * *"')).toEqual([
      'schedule-3 new',
      'schedule-1 moved paused',
      'schedule-2 moved',
    ]);
    const shown = await app.ask('GET /v1/schedules?workflow=moved');
    expect(shown.body['data']).toMatchObject([
      { id: 'moved.schedule-1', cron: '0 3 1 1 *', paused: true },
      { id: 'moved.schedule-2', cron: '0 4 * * *', paused: false },
      { id: 'moved.schedule-3', cron: '0 5 * * *', paused: false },
    ]);
    const span = { from: '2025-12-31T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const instants = ['2026-01-01T03:00:00.000Z'];
    const backfill = (id: string) => app.ask(`POST /v1/schedules/moved.${id}/backfill`, { json: span });
    expect((await backfill('schedule-1')).body).toMatchObject({ queued: instants });
    expect(await deployed(`${old}, id: yearly`)).toEqual([
      'yearly renamed paused',
      'schedule-2 gone',
      'schedule-3 gone',
    ]);
    // By the name that it has, and by the one that it had.
    for (const id of ['yearly', 'schedule-1'])
      expect((await backfill(id)).body).toMatchObject({ instants, queued: [] });
    expect((await app.ask('GET /v1/schedules/moved.schedule-1')).body).toMatchObject({ id: 'moved.yearly' });
    expect(await deployed('"0 6 * * *"')).toEqual(['schedule-4 new', 'yearly gone paused']);
    expect((await app.ask('GET /v1/schedules/moved.yearly')).status).toBe(404);
    expect(await deployed('"0 7 * * *", id: yearly')).toEqual(['yearly returned paused', 'schedule-4 gone']);
    await app.ask('DELETE /v1/workflows/moved');
    expect((await app.ask('GET /v1/schedules?workflow=moved')).body['data']).toEqual([]);
  });

  test('shows the times of a backfill before it starts them', async () => {
    const span = { from: '2026-03-28T00:00:00Z', to: '2026-03-30T12:00:00+02:00' };
    const instants = ['2026-03-28T05:00:00.000Z', '2026-03-29T04:00:00.000Z', '2026-03-30T04:00:00.000Z'];
    const weekly = '/v1/schedules/weekly.schedule-1';
    const preview = await app.ask(`POST ${weekly}/backfill`, { json: { ...span, preview: true } });
    const { next } = (await app.ask(`GET ${weekly}`)).body;
    expect(preview.body).toEqual({ instants, queued: [], preview: true, next });
    const done = await app.ask(`POST ${weekly}/backfill`, { json: span });
    expect(done.body).toEqual({ instants, queued: instants, preview: false, next });
    const again = await app.ask(`POST ${weekly}/backfill`, { json: span });
    expect(again.body).toEqual({ instants, queued: [], preview: false, next });
  });

  test.each([
    { from: '2026-03-28T00:00:00Z' },
    { from: '2026-03-28T00:00:00Z', to: '2026-03-27T00:00:00Z' },
    { from: '2026-03-28T00:00:00Z', to: '2999-01-01T00:00:00Z' },
    { from: '1990-03-28T00:00:00Z', to: '2020-01-01T00:00:00Z' },
    { from: 'yesterday', to: '2026-03-27T00:00:00Z' },
  ])('does not make up for %j', async (json) => {
    expect((await app.ask(`POST ${nightly}/backfill`, { json })).status).toBe(422);
  });

  test('is there for who may, and where there is one', async () => {
    const reader = await app.newKey(['runs:read']);
    expect((await app.ask(`GET ${nightly}`, { key: reader })).status).toBe(200);
    expect((await app.ask(`POST ${nightly}/trigger`, { key: reader })).status).toBe(403);
    const elsewhere = await app.newKey(['runs:write'], { workflows: ['weekly'] });
    expect((await app.ask(`POST ${nightly}/trigger`, { key: elsewhere })).status).toBe(404);
    expect((await app.ask('GET /v1/schedules', { key: elsewhere })).body['data']).toHaveLength(1);
    for (const wrong of ['nothing', 'nightly.schedule-2', '%00']) {
      expect((await app.ask(`POST /v1/schedules/${wrong}/pause`)).status).toBe(404);
    }
  });
});
