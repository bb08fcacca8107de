import type { RunEvent } from '@baton/engine';
import { type FreshStore, freshStore, requestedEvent } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

const day = Date.UTC(2026, 10, 17);
const hourMs = 3_600_000;

let store: FreshStore;
let app: TestApp;
const ids: string[] = [];

/** A run with so many tickets made, one an hour, the last of them still under way. */
async function newRun(at: number, by: string, tickets: number): Promise<string> {
  const { runId } = await store.request({ event: requestedEvent({ at, by, workflow: 'triage', version: 2 }) });
  const events = Array.from({ length: tickets }, (_, n): readonly RunEvent[] => {
    const step = { path: `tickets/${n}/file "it"`, verb: 'tool', attempt: 1 } as const;
    const begun = at + n * hourMs;
    const call = {
      verb: 'tool',
      server: 'tracker',
      tool: n === 0 ? 'list' : 'create_ticket',
      effect: 'write',
    } as const;
    const started = {
      type: 'step.started',
      at: begun,
      ...step,
      call: { ...call, arguments: { json: { n, text: '\0' } } },
    } as const;
    const value = { json: { said: 'Postgres takes no \0 and no \ud800 apart.', failure: { code: 'none' } } };
    const done = { type: 'step.succeeded', at: begun + 40, ...step, value } as const;
    return n === tickets - 1 ? [started] : [started, done];
  });
  const opened = await store.journal.open(runId);
  await opened?.log.append({ events: events.flat() });
  return runId;
}

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  ids.push(await newRun(day - 30 * hourMs, 'Bob (2)', 2), await newRun(day + hourMs, 'Ada (1)', 4));
});

afterAll(async () => {
  await app.close();
  await store.close();
});

async function seqs(query: string): Promise<readonly string[]> {
  const { body } = await app.ask(`GET /v1/audit/calls?${query}`);
  return (body['data'] as { run: string; step: string }[]).map(({ run, step }) => `${ids.indexOf(run)} ${step}`);
}

describe('/v1/audit/calls', () => {
  test('says who called what in which step of which run, and what came of it', async () => {
    const { body } = await app.ask('GET /v1/audit/calls?limit=1&tool=list');
    expect(body['data']).toEqual([
      {
        at: '2026-11-17T01:00:00.000Z',
        by: 'Ada (1)',
        workflow: 'triage',
        version: 2,
        run: ids[1],
        step: 'tickets/0/file "it"',
        attempt: 1,
        verb: 'tool',
        server: 'tracker',
        tool: 'list',
        effect: 'write',
        arguments: { sha256: expect.stringMatching(/^[\da-f]{64}$/) as string, preview: '{"n":0,"text":"\\u0000"}' },
        outcome: 'succeeded',
        durationMs: 40,
      },
    ]);
  });

  test('asks by tool, server, person and time, where a date is a day', async () => {
    const of = (run: number, ...numbers: number[]): string[] => numbers.map((n) => `${run} tickets/${n}/file "it"`);
    expect(await seqs('')).toEqual([...of(1, 3, 2, 1, 0), ...of(0, 1, 0)]);
    expect(await seqs('tool=create_ticket')).toEqual([...of(1, 3, 2, 1), ...of(0, 1)]);
    expect(await seqs('server=other')).toEqual([]);
    expect(await seqs(`by=${encodeURIComponent('Bob (2)')}`)).toEqual(of(0, 1, 0));
    expect(await seqs('from=2026-11-17&to=2026-11-17')).toEqual(of(1, 3, 2, 1, 0));
    expect(await seqs('from=2026-11-17T02:00:00Z&to=2026-11-17T04:00:00Z')).toEqual(of(1, 2, 1));
    expect(await seqs('to=2026-11-16')).toEqual(of(0, 1, 0));
    expect(await seqs('workflow=other')).toEqual([]);
  });

  test('goes page by page, newest call of a run first, and says of the last that it is under way', async () => {
    const found: { step: string }[] = [];
    for (let cursor = ''; ;) {
      const { body } = await app.ask(`GET /v1/audit/calls?limit=2&tool=create_ticket${cursor}`);
      found.push(...(body['data'] as typeof found));
      if (body['nextCursor'] === undefined) break;
      cursor = `&cursor=${body['nextCursor'] as string}`;
    }
    expect(found.map(({ step }) => step)).toEqual([3, 2, 1, 1].map((n) => `tickets/${n}/file "it"`));
    expect(found).toMatchObject([{ outcome: 'running' }, {}, {}, { outcome: 'running' }]);
    expect((await app.ask('GET /v1/audit/calls?cursor=x')).status).toBe(400);
  });

  test('says whose login a call used, and takes no word of a server for it', async () => {
    const at = day + 90 * hourMs;
    const { runId } = await store.request({ event: requestedEvent({ at, by: 'Cy (3)', workflow: 'logins' }) });
    const step = (path: string) => ({ path, verb: 'tool', attempt: 1 }) as const;
    const call = { verb: 'tool', server: 'gh', tool: 'look', effect: 'read', arguments: { json: {} } } as const;
    const value = { json: { login: 'Ada (1)', text: '{"path":"a","attempt":1,"login":"Ada (1)"}' } };
    const failure = { code: 'tool-failed', message: '"login":"Ada (1)"' };
    const login = 'Cy "c" (3)';
    const ended: RunEvent[] = [
      { type: 'step.succeeded', at, ...step('a'), session: 'gh#1', login, value },
      { type: 'step.failed', at, ...step('b'), session: 'gh#1', login, failure },
      { type: 'step.succeeded', at, ...step('c'), session: 'gh#1', value },
      { type: 'step.failed', at, ...step('d'), failure },
    ];
    const begun = ended.map((_, n): RunEvent => ({ type: 'step.started', at, ...step('abcd'[n] ?? ''), call }));
    await (await store.journal.open(runId))?.log.append({ events: [...begun, ...ended] });
    const { body } = await app.ask('GET /v1/audit/calls?server=gh');
    const logins = (body['data'] as { step: string; login?: string }[]).map((one) => [one.step, one.login]);
    expect(Object.fromEntries(logins)).toEqual({ a: login, b: login, c: undefined, d: undefined });
  });
});
