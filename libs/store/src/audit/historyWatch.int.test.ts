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

import { type Store, openStore } from '../openStore.ts';
import { removeRuns } from '../retention/removeRuns.ts';
import { beat } from '../workers/workers.ts';
import { listEntries } from './entries.ts';
import { confirmHistory } from './historyWatch.ts';
import { sealRuns } from './sealRuns.ts';
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

async function sealAnew(): Promise<void> {
  await confirmHistory(store, 'ada');
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
  ['an entry of the audit', /entry 2 of the audit/, async () => confirmHistory(store, 'ada')],
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
