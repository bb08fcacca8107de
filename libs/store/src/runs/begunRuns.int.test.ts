/**
 * Goal: a run that begins where it is accepted is stored as one that is requested, and then claimed and driven.
 * Method: each kind of request is made in both ways, at once, so that they share statements on real Postgres.
 */
import { createHash } from 'node:crypto';

import type { Failure, RunEvent } from '@baton/engine';
import type { Append } from '@baton/runner';
import { type FreshStore, freshStore, requestedEvent, runningRow } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newRunId } from '../database/runId.ts';
import { takeCallbacks } from './callbacks.ts';
import { getRun } from './getRun.ts';
import type { BeginningRequest } from './runRequest.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const at = 1_800_000_000_000;
const claimed: RunEvent = { type: 'run.claimed', at, worker: 'w1', claim: 1 };
const signal: RunEvent = { type: 'signal.received', at, name: 'x', payload: null, by: 'x' };
const failure: Failure = { code: 'tool-failed', message: 'no' };
const finished: RunEvent = { type: 'run.finished', at, status: 'failed', failure };
const ended = runningRow({ status: 'failed', endedAt: at, failure, isCancelling: true });
const text = '"large"';
const blob = { sha256: createHash('sha256').update(text).digest('hex'), text };
const idempotency = (key: string) => ({ scope: 'runs', key, digest: 'd' });

/** The request and the first append. */
type Beginning = (way: string) => readonly [Omit<BeginningRequest, 'runId' | 'event'>, Append];

const beginnings: Readonly<Record<string, Beginning>> = {
  plain: () => [{}, { events: [claimed, signal], row: runningRow() }],
  'with a key, and a callback that is due at once': (way) => [
    { idempotency: idempotency(way), callback: { url: 'https://x.example', secret: 'sign' } },
    { events: [claimed, finished], row: ended },
  ],
  'with a value that is stored apart': () => [{}, { events: [claimed], row: runningRow(), blobs: [blob] }],
  'that waits': () => [{}, { events: [claimed], row: runningRow({ status: 'waiting', wakeAt: at + 5, questions: 1 }) }],
};

async function journalOf(runId: string) {
  const { events, log, forgery } = (await store.journal.open(runId)) ?? {};
  return { events, seq: log?.seq, forgery };
}

async function shown(runId: string) {
  const { id, ...run } = (await getRun(store, runId)) ?? {};
  return { isFound: id === runId, run, ...(await journalOf(runId)) };
}

test('A run that begins at once has the row, the journal and the values of one that was requested and then claimed', async () => {
  const made = Object.values(beginnings).map(async (beginning) => {
    const [atOnce, inTwo] = [newRunId(at), newRunId(at)];
    const event = requestedEvent({ at, tags: ['a', 'b,c'], priority: 3 });
    const [request, first] = beginning(`at once ${atOnce}`);
    const log = store.unstored({ ...request, runId: atOnce, event });
    const [other] = beginning(`in two ${inTwo}`);
    const [, , outcome] = await Promise.all([
      log.append(first),
      store.request({ ...other, runId: inTwo, event }),
      log.outcome,
    ]);
    await (await store.journal.open(inTwo))?.log.append(first);
    expect(outcome).toEqual({ kind: 'created', runId: atOnce });
    expect(await shown(atOnce)).toEqual(await shown(inTwo));
    expect((await shown(atOnce)).forgery).toBeUndefined();
    // Its log goes on after what was stored.
    await log.append({ events: [signal] });
    expect((await journalOf(atOnce)).seq).toBe(first.events.length + 2);
    return { atOnce, inTwo };
  });
  const all = await Promise.all(made);
  await expect(store.blobs.get(blob.sha256)).resolves.toBe(blob.text);
  const due = await takeCallbacks(store, { nowMs: at, limit: 9, holdMs: 1 });
  expect(due.map(({ runId }) => runId).toSorted()).toEqual(
    all.flatMap(({ atOnce, inTwo }, kind) => (kind === 1 ? [atOnce, inTwo] : [])).toSorted(),
  );
});

test('Where a key has a run already, or the version is not the newest, nothing of a run that was to begin is stored', async () => {
  const event = requestedEvent({ at });
  const before = await store.request({ event, idempotency: idempotency('used') });
  const refused = { 'key used': { idempotency: idempotency('used') }, 'old version': { isNewest: true } };
  for (const [why, request] of Object.entries(refused)) {
    const runId = newRunId(at);
    const log = store.unstored({ ...request, runId, event });
    const [appended, outcome] = await Promise.allSettled([
      log.append({ events: [claimed], row: runningRow() }),
      log.outcome,
    ]);
    expect([why, appended]).toMatchObject([why, { reason: { name: 'ConflictError' } }]);
    expect(outcome).toMatchObject(
      why === 'key used' ? { value: { kind: 'existing', runId: before.runId } } : { reason: { name: 'OutdatedError' } },
    );
    await expect(getRun(store, runId)).resolves.toBeUndefined();
    await expect(store.journal.open(runId)).resolves.toBeUndefined();
  }
});

test('A run that was given up before its first append is not stored by that append, and may be requested', async () => {
  const [runId, event] = [newRunId(at), requestedEvent({ at })];
  const log = store.unstored({ runId, event });
  log.giveUp();
  await expect(log.outcome).resolves.toBeUndefined();
  await expect(log.append({ events: [claimed], row: runningRow() })).rejects.toThrow('another process appended');
  await expect(store.request({ runId, event })).resolves.toEqual({ kind: 'created', runId });
});
