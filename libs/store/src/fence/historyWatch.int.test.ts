import { systemClock } from '@baton/runner';
import {
  type FreshStore,
  freshStore,
  requestedEvent,
  restorePoint,
  runningRow,
  tamper,
  testSecretKey,
} from '@baton/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

import { listEntries, noteAction } from '../audit/entries.ts';
import { sealRuns } from '../audit/sealRuns.ts';
import { type Store, openStore } from '../openStore.ts';
import { removeRuns } from '../retention/removeRuns.ts';
import { beat } from '../workers/workers.ts';
import type { EpochPlace } from './epoch.ts';
import { removeFence } from './fence.ts';
import { watchHistory } from './watchHistory.ts';

let store: FreshStore;
beforeEach(async () => {
  store = await freshStore();
});
afterEach(() => store.close());

/** Another process, and what it logs. */
function another(): { readonly store: Store; readonly logged: string[] } {
  const logged: string[] = [];
  const onRewound = (message: string): void => void logged.push(message);
  const opened = openStore({ url: store.url, secretKey: testSecretKey, answerMs: 60_000, onRewound });
  onTestFinished(() => opened.close());
  return { store: opened, logged };
}

const note = (): Promise<void> =>
  store.prisma.$transaction((transaction) =>
    noteAction(transaction, store, { by: 'ada', action: 'secret.set', target: 'A' }),
  );

async function sealAnew(): Promise<void> {
  await note();
  await sealRuns(store, { nowMs: Date.now() });
}

const rewound = async () => (await listEntries(store, { action: 'database.rewound' }, { limit: 10 })).entries;

/** Tries again: the first statements may find their connections cut. */
async function done(work: () => Promise<unknown>): Promise<void> {
  const isDone = async (): Promise<boolean> =>
    work().then(
      () => true,
      () => false,
    );
  await expect.poll(isDone).toBe(true);
}

const looked = (one: Store): Promise<void> => done(() => one.history.look());

test.each<[string, RegExp, () => Promise<unknown>]>([
  ['a seal', /seal 2/, sealAnew],
  ['the newest event', /the newest event/, async () => store.request({ event: requestedEvent() })],
  ['an entry of the audit', /entry 2 of the audit/, note],
])(
  'A Postgres that lacks %s that processes saw is told by each of them, and by one entry of the audit',
  async (_, what, change) => {
    await sealRuns(store, { nowMs: Date.now() });
    const processes = [another(), another()];
    const point = await restorePoint(store.url);
    await done(change);
    for (const one of processes) await looked(one.store);
    await point.goBack();
    // Others write at once.
    await done(() => beat(store, { id: 'w', host: 'h', pid: 1, version: 'x', isDraining: false }));
    for (const one of processes) await looked(one.store);
    for (const one of processes) {
      expect(one.logged).toEqual([expect.stringMatching(what)]);
      expect(one.store.history.warning()).toBe(processes[0]?.logged[0]);
    }
    expect(await rewound()).toHaveLength(1);
    // It is told once.
    for (const one of processes) await looked(one.store);
    expect(processes.map(({ logged }) => logged.length)).toEqual([1, 1]);
  },
);

test('A process notices by itself, each second, that Postgres lacks what it had', async () => {
  const one = another();
  await store.request({ event: requestedEvent() });
  await looked(one.store);
  const watch = watchHistory({ store: one.store, clock: systemClock, onTrouble: () => undefined });
  onTestFinished(() => watch.close());
  await tamper(store, 'delete from run_event');
  await expect.poll(() => one.store.history.warning()).toContain('it lacks the newest event');
  expect(one.logged).toHaveLength(1);
});

test('A run that retention removed, and a process that has just begun, are no sign of it', async () => {
  const at = Date.now() - 3_600_000;
  const { runId } = await store.request({ event: requestedEvent({ at }) });
  const opened = await store.journal.open(runId);
  const end = { type: 'run.finished', at, status: 'succeeded' } as const;
  await opened?.log.append({ events: [end], row: runningRow({ status: 'succeeded', endedAt: at }) });
  await sealRuns(store, { nowMs: Date.now() });
  const one = another();
  await looked(one.store);
  expect(await removeRuns(store, { endedBefore: Date.now() })).toMatchObject({ runs: 1 });
  await looked(one.store);
  await looked(another().store);
  expect(one.logged).toEqual([]);
  expect(await rewound()).toEqual([]);
});

/** A place in memory. */
function place(): EpochPlace {
  const texts = new Map<string, string>();
  return {
    name: 'memory',
    read: async (installation) => texts.get(installation),
    write: async (installation, text) => void texts.set(installation, text),
  };
}

const failing = (what: string, error: Error): never => {
  throw new Error(what, { cause: error });
};

test('A process that starts finds what the place outside the database tells, until a person lifts the fence', async () => {
  const kept = place();
  const memory = { installation: 'one', places: [kept], onTrouble: failing };
  const before = another();
  await before.store.history.begin(memory);
  const point = await restorePoint(store.url);
  await done(async () => store.request({ event: requestedEvent() }));
  await looked(before.store);
  await point.goBack();
  await done(() => beat(store, { id: 'w', host: 'h', pid: 1, version: 'x', isDraining: false }));
  const other = another();
  await other.store.history.begin({ ...memory, installation: 'other' });
  expect(other.store.history.warning()).toBeUndefined();
  const next = another();
  await next.store.history.begin(memory);
  expect(next.logged).toEqual([expect.stringMatching(/it lacks the newest event.*`baton fence lift` lifts it/)]);
  const begun: string[] = [];
  next.store.history.whenLifted(() => begun.push('next'));
  // Processes that keep nothing outside the database read the row.
  await looked(other.store);
  expect([other.store.history.warning(), begun]).toEqual([next.logged[0], []]);
  expect(await rewound()).toHaveLength(1);
  const lift = { by: 'ada', reason: 'a test', isTrusted: false, runs: 0 };
  expect([await removeFence(store, lift), await removeFence(store, lift)]).toEqual([true, false]);
  await looked(next.store);
  await looked(other.store);
  expect([next.store.history.warning(), other.store.history.warning(), begun]).toEqual([
    undefined,
    undefined,
    ['next'],
  ]);
  const { entries } = await listEntries(store, { action: 'fence.lifted' }, { limit: 10 });
  expect(entries.map(({ by, detail }) => [by, JSON.parse(detail)])).toMatchObject([
    ['ada', { reason: 'a test', cause: 'behind' }],
  ]);
});

test('Nothing is read over a new connection to a Postgres that lacks what the process saw', async () => {
  const one = another();
  const { runId } = await store.request({ event: requestedEvent() });
  await looked(one.store);
  const point = await restorePoint(store.url);
  await done(() => store.request({ event: requestedEvent() }));
  await looked(one.store);
  await point.goBack();
  const read = async (): Promise<unknown> => one.store.journal.open(runId).catch((error: Error) => error.message);
  await expect.poll(read).toContain('Postgres went back in time');
  expect(one.logged).toHaveLength(1);
});
