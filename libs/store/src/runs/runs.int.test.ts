import type { EventOf, RunStatus, RunRow } from '@baton/engine';
import { type FreshStore, freshStore, requestedEvent, runningRow } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { newRunId } from '../database/runId.ts';
import { lastPositions } from '../journal/lastPositions.ts';
import { readPage } from '../journal/readPage.ts';
import { askedTimes } from './askedTime.ts';
import { getChildRun, getRun } from './getRun.ts';
import { getIdempotencyKey } from './idempotencyKey.ts';
import { listRuns } from './listRuns.ts';
import type { RunFilter } from './runConditions.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

let clock = 1_800_000_000_000;

const event = (more: Partial<EventOf<'run.requested'>> = {}): EventOf<'run.requested'> =>
  requestedEvent({ at: (clock += 1), ...more });

async function newRun(more: Partial<EventOf<'run.requested'>> = {}, changed?: Partial<RunRow>): Promise<string> {
  const { runId } = await store.request({ event: event(more) });
  if (changed === undefined) return runId;
  const opened = await store.journal.open(runId);
  const happened = { type: 'signal.received', at: (clock += 1), name: 'x', payload: null, by: 'x' } as const;
  await opened?.log.append({ events: [happened], row: runningRow(changed) });
  return runId;
}

const idsOf = async (filter: RunFilter): Promise<string[]> =>
  (await listRuns(store, filter, { limit: 100 })).runs.map(({ id }) => id);

describe('a run', () => {
  test('is stored as it was requested', async () => {
    const parentId = await newRun();
    const parent = { runId: parentId, path: 'a/3/b', attempt: 2 };
    const trigger = { kind: 'schedule', detail: { id: 'nightly', instant: '\0' } } as const;
    const asked = event({
      trigger,
      parent,
      tags: ['', 'a,b', '{"\\'],
      priority: -5,
      depth: 1,
      notBefore: 1_900_000_000_001,
      rerunOf: parentId,
      inputs: { blob: { sha256: 'ab'.repeat(32), bytes: 9, preview: '\ud800' } },
    });
    const { runId } = await store.request({ event: asked });
    const run = await getRun(store, runId);
    expect(run).toEqual({
      id: runId,
      status: 'queued',
      createdAt: asked.at,
      wakeAt: asked.notBefore,
      isCancelling: false,
      questions: 0,
      tokens: 0,
      usd: 0,
      ...Object.fromEntries(['outputs', 'failure', 'startedAt', 'endedAt', 'worker'].map((name) => [name, undefined])),
      ...Object.fromEntries(Object.entries(asked).filter(([name]) => !['type', 'at', 'notBefore'].includes(name))),
    });
    await expect(getChildRun(store, parent)).resolves.toEqual(run);
    await expect(getChildRun(store, { ...parent, attempt: 3 })).resolves.toBeUndefined();
  });

  test.each(['', 'x', '\0', '0199aaaa-0000-7000-8000-000000000001'])('is not there under the id %j', async (id) => {
    await expect(getRun(store, id)).resolves.toBeUndefined();
    await expect(getChildRun(store, { runId: id, path: '\0', attempt: 1 })).resolves.toBeUndefined();
    await expect(readPage(store, id, { limit: 10 })).resolves.toEqual({ events: [], isMore: false });
  });

  test.each([
    ['workflow name', { workflow: 'a\0' }],
    ['tags', { tags: ['fine', '\ud800'] }],
  ])('with text in its %s that cannot be stored is refused as bad input', async (what, more) => {
    await expect(store.request({ event: event(more) })).rejects.toMatchObject({
      failure: { code: 'invalid-inputs', message: expect.stringContaining(what) as string },
    });
  });

  test('that is refused does not prevent the runs requested together with it', async () => {
    // An index takes no text of that length, which is found out by Postgres alone.
    const tooLong = Array.from({ length: 3_000 }, (_, index) => String.fromCodePoint(0x4e00 + index * 5)).join('');
    const ends = await Promise.allSettled(
      ['a', tooLong, 'b'].map((workflow) => store.request({ event: event({ workflow }) })),
    );
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ends[1]).toMatchObject({ reason: { failure: { code: 'limit-exceeded' } } });
  });
});

test('A child is not created beside a claim of its parent by another worker that is being written', async () => {
  const parentId = await newRun({}, { worker: 'w1' });
  const other = new Client(store.url);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`begin; update run set worker = 'w2' where id = '${parentId}'`);
  const asked = event({ parent: { runId: parentId, path: 'c', attempt: 1 }, depth: 1 });
  let outcome = 'waits';
  const requested = store.request({ event: asked, parentWorker: 'w1' }).then(
    ({ kind }) => (outcome = kind),
    (error: Error) => (outcome = error.name),
  );
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await other.query<{ locks: string }>('select count(*) as locks from pg_locks where not granted');
    return rows[0]?.locks === '1' || outcome !== 'waits';
  };
  await expect.poll(isWaiting).toBe(true);
  await other.query('commit');
  await requested;
  expect(outcome).toBe('UnavailableError');
});

describe('the list of runs', () => {
  test('is newest first, and its pages neither repeat nor skip runs that existed at the first page', async () => {
    const made = [];
    for (let count = 0; count < 25; count += 1) made.push(await newRun({ workflow: 'paged' }));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await listRuns(store, { workflow: 'paged' }, { limit: 10, ...(after && { after }) });
      seen.push(...page.runs.map(({ id }) => id));
      await newRun({ workflow: 'paged' });
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(made.toReversed());
  });

  test('is filtered by status, together and alone', async () => {
    const workflow = 'statuses';
    const ids = new Map<RunStatus, string>();
    for (const status of ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const) {
      const isOver = ['succeeded', 'failed', 'cancelled'].includes(status);
      ids.set(status, await newRun({ workflow }, { status, ...(isOver && { endedAt: clock }) }));
    }
    for (const [status, id] of ids) await expect(idsOf({ workflow, statuses: [status] })).resolves.toEqual([id]);
    await expect(idsOf({ workflow, statuses: ['queued', 'failed'] })).resolves.toEqual([
      ids.get('failed'),
      ids.get('queued'),
    ]);
    await expect(idsOf({ workflow, statuses: ['failed', 'cancelled'] })).resolves.toHaveLength(2);
  });

  test('is filtered by tag, trigger, questions and time', async () => {
    const workflow = 'filtered';
    const first = await newRun({ workflow, tags: ['red', 'green'] });
    const second = await newRun({ workflow, tags: ['red'], trigger: { kind: 'webhook' } });
    const between = (clock += 10);
    const third = await newRun({ workflow }, { questions: 1, status: 'waiting' });
    await expect(idsOf({ workflow, tag: 'red' })).resolves.toEqual([second, first]);
    await expect(idsOf({ workflow, tag: 'green' })).resolves.toEqual([first]);
    await expect(idsOf({ workflow, tag: 'gre' })).resolves.toEqual([]);
    await expect(idsOf({ workflow, trigger: 'webhook' })).resolves.toEqual([second]);
    await expect(idsOf({ workflow, isAsking: true })).resolves.toEqual([third]);
    await expect(idsOf({ workflow, from: between })).resolves.toEqual([third]);
    await expect(idsOf({ workflow, to: between })).resolves.toEqual([second, first]);
  });

  test('A list of runs names the step that began last of a running run, and what a waiting run waits for.', async () => {
    const workflow = 'in-steps';
    const started = async (path: string, changed: Partial<RunRow>): Promise<string> => {
      const { runId } = await store.request({ event: event({ workflow }) });
      const opened = await store.journal.open(runId);
      // Postgres takes no JSON apart that has these in a text.
      const request = { json: { said: 'a \0 and a \ud800' } };
      const step = (one: string) =>
        ({
          type: 'step.started',
          at: (clock += 1),
          path: one,
          verb: 'sample',
          attempt: 1,
          call: { verb: 'sample', request },
        }) as const;
      const progressed = { type: 'step.progressed', at: (clock += 1), path, attempt: 1, progress: 1 } as const;
      await opened?.log.append({ events: [step('before'), step(path), progressed], row: runningRow(changed) });
      return runId;
    };
    const running = await started('each/3/"write"', {});
    const waiting = await started('each/3/"write"', { status: 'waiting' });
    const awaiting = { for: 'signal', name: 'paid', expiresAt: 9 } as const;
    const waits = { type: 'step.waiting', at: clock, path: 'all/2/pay', verb: 'wait', attempt: 1, awaiting } as const;
    await (await store.journal.open(waiting))?.log.append({ events: [waits] });
    const ended = await started('last', { status: 'succeeded', endedAt: clock });
    const { runs } = await listRuns(store, { workflow }, { limit: 10 });
    expect(runs.map(({ id, lastStep, waitsFor }) => [id, lastStep, waitsFor])).toEqual([
      [ended, undefined, undefined],
      [waiting, undefined, { step: 'all/2/pay', kind: 'signal', name: 'paid' }],
      [running, 'each/3/"write"', undefined],
    ]);
  });

  test('The time that a run waited for people counts questions at the same time once.', async () => {
    const { runId } = await store.request({ event: event({ workflow: 'asking' }) });
    const asks = (path: string, at: number) =>
      ({
        type: 'step.waiting',
        at,
        path,
        verb: 'ask',
        attempt: 1,
        awaiting: { for: 'answer', question: { message: '?', form: {} } },
      }) as const;
    const answers = (path: string, at: number) =>
      ({ type: 'question.answered', at, path, answer: {}, by: 'ada' }) as const;
    const events = [asks('a', 1_000), asks('b', 2_000), answers('a', 4_000), answers('b', 5_000)];
    await (
      await store.journal.open(runId)
    )?.log.append({
      events: [...events, asks('c', 9_000), answers('c', 9_500), asks('d', 9_600)],
    });
    await expect(askedTimes(store, [runId, newRunId(clock)])).resolves.toEqual(new Map([[runId, 4_500]]));
  });

  test('is empty for a text that cannot be stored, and for an invalid cursor', async () => {
    await newRun({ tags: ['a'] });
    await expect(idsOf({ tag: '\0' })).resolves.toEqual([]);
    await expect(idsOf({ workflow: '\ud800' })).resolves.toEqual([]);
    await expect(listRuns(store, {}, { limit: 5, after: "'; drop table run" })).resolves.toEqual({ runs: [] });
  });
});

describe('the last positions of journals', () => {
  test('are read for many runs at once', async () => {
    const one = await newRun();
    const two = await newRun({}, {});
    const unknown = newRunId(clock);
    await expect(lastPositions(store, [one, two, unknown])).resolves.toEqual(
      new Map([
        [one, 1],
        [two, 2],
      ]),
    );
    await expect(lastPositions(store, [])).resolves.toEqual(new Map());
  });
});

describe('an idempotency key', () => {
  test('names the run and the digest of its first request', async () => {
    const idempotency = { scope: 'key-1 runs', key: 'a', digest: 'd' };
    const { runId } = await store.request({ event: event(), idempotency });
    await expect(getIdempotencyKey(store, idempotency)).resolves.toEqual({ runId, digest: 'd' });
    await expect(getIdempotencyKey(store, { scope: 'key-2 runs', key: 'a' })).resolves.toBeUndefined();
    await expect(getIdempotencyKey(store, { scope: 'key-1 runs', key: '\0' })).resolves.toBeUndefined();
  });
});

describe('a page of the journal', () => {
  test('begins after a position, and carries the text and hash that a verifier needs', async () => {
    const runId = await newRun({}, {});
    const { events: all, isMore } = await readPage(store, runId, { limit: 10 });
    expect(isMore).toBe(false);
    expect(all.map(({ seq, event: { type } }) => [seq, type])).toEqual([
      [1, 'run.requested'],
      [2, 'signal.received'],
    ]);
    await expect(readPage(store, runId, { after: 1, limit: 10 })).resolves.toEqual({ events: all.slice(1), isMore });
    await expect(readPage(store, runId, { limit: 1 })).resolves.toEqual({ events: all.slice(0, 1), isMore: true });
    await expect(readPage(store, runId, { after: Number.MAX_SAFE_INTEGER, limit: 1 })).resolves.toEqual({
      events: [],
      isMore: false,
    });
  });
});
