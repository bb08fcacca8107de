import { replay } from '@baton/engine';
import { UnstoredLog } from '@baton/store';
import { MemoryJournal, planOf, requestedEvent, testPorts, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { bellAheadMs } from '../ports/bell.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { advance } from '../record/advance.ts';
import { BlobCache } from '../values/blobCache.ts';
import { RunDrivers } from './runDrivers.ts';

const runId = '0197a000-0000-7000-8000-000000000001';

function drivesOn(journal: MemoryJournal, clock: Clock): RunDrivers {
  const plan = planOf('workflow: w\nsteps:\n  - { id: one, set: { x: 1 } }\n');
  return new RunDrivers(
    testPorts({ worker: 'w1', journal, blobs: journal.blobs, cache: new BlobCache(0), plans: async () => plan, clock }),
  );
}

/** Time passes only while the code under test waits; `onWait` runs meanwhile. */
function clockOf(onWait: (nowMs: number) => Promise<unknown>): Clock {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonic: () => nowMs,
    now: () => requestedEvent().at + nowMs,
    after: (ms, callback) => {
      nowMs += ms;
      // oxlint-disable-next-line promise/no-callback-in-promise -- a clock calls back.
      void onWait(nowMs).then(callback);
      return () => {};
    },
  };
}

test('a bell that rings before its run is on record is not lost', async () => {
  const journal = new MemoryJournal();
  const clock = clockOf(async (nowMs) => {
    if (nowMs === bellAheadMs) await journal.request({ runId, event: requestedEvent() });
  });
  expect(await drivesOn(journal, clock).drive(runId)).toBe('finished');
});

test('a run that does not exist is not waited for for ever', async () => {
  let waits = 0;
  const clock = clockOf(async () => {
    waits += 1;
  });
  expect(await drivesOn(new MemoryJournal(), clock).drive(runId)).toBe('gone');
  expect(waits).toBe(bellAheadMs);
});

/**
 * A caller with a run in which something happened just now, and another caller with twelve of them. Their steps wait for
 * calls that never end; on this clock, something has happened in each of them just now.
 */
async function crowd() {
  const journal = new MemoryJournal();
  const clock: Clock = { ...systemClock, monotonic: () => 0 };
  const plan = planOf('workflow: w\nsteps: [{ tool: s/t }]\n', { 's/t': 'read' });
  let sent = 0;
  const callTool = async (): Promise<never> => {
    sent += 1;
    return new Promise(() => undefined);
  };
  const alive = { isAlive: async () => true };
  const given = { worker: 'w1', journal, blobs: journal.blobs, plans: async () => plan, clock, workers: alive };
  const drivers = new RunDrivers(testPorts({ ...given, calls: { callTool } }));
  const start = async (by: string) => {
    const made = await journal.request({ event: requestedEvent({ by }) });
    if (made.kind !== 'created') throw new Error(made.kind);
    return { by, runId: made.runId, over: drivers.drive(made.runId) };
  };
  const runs = [await start('few')];
  for (let count = 0; count < 12; count += 1) runs.push(await start('many'));
  const begun = (): string[] => runs.filter(({ runId }) => journal.row(runId)?.status !== 'queued').map(({ by }) => by);
  await expect.poll(begun).toEqual(['few', ...Array.from({ length: 4 }, () => 'many')]);
  const [taken, cancelled] = runs.slice(-2) as [(typeof runs)[number], (typeof runs)[number]];
  return { journal, drivers, runs, taken, cancelled, sentCalls: () => sent };
}

test('runs of a caller with many are held back beside a run of another caller, and leave with the others', async () => {
  const { drivers, runs } = await crowd();
  expect(drivers.size).toBe(13);
  expect(drivers.runsByCaller()).toEqual(
    new Map([
      ['few', 1],
      ['many', 12],
    ]),
  );
  drivers.leave('now');
  await Promise.all(runs.map(({ over }) => over));
  expect(drivers.size).toBe(0);
  expect(drivers.servedCallers().toSorted()).toEqual(['few', 'many']);
});

test('a run that was held back begins as it is then: cancelled, or of another worker', async () => {
  const { journal, drivers, taken, cancelled, sentCalls } = await crowd();
  await advance(journal, taken.runId, ({ at }) => [{ type: 'run.claimed', at, worker: 'w2', claim: 1 }]);
  await advance(journal, cancelled.runId, ({ at }) => [{ type: 'run.cancelRequested', at, by: 'ada' }]);
  for (const { runId } of [taken, cancelled]) drivers.routeHint({ runId, seq: 2 });
  expect(await taken.over).toBe('lost');
  expect(await cancelled.over).toBe('finished');
  expect(journal.row(cancelled.runId)?.status).toBe('cancelled');
  expect(sentCalls()).toBe(5);
  drivers.leave('now');
});

/** A worker that begins a run of one call where it was accepted. `fate`: of the first append. */
async function begun(effect: 'read' | 'write', fate: 'written' | 'unheard' | 'late', key?: string) {
  /** Reads of the journal and calls, in order. */
  const did: string[] = [];
  const late: (() => void)[] = [];
  const journal = new MemoryJournal({ afterwards: (commit) => void late.push(commit) });
  const fates = [fate];
  const door = journal.door({ fate: () => fates.shift() ?? 'written', afterwards: (commit) => void late.push(commit) });
  const plan = planOf('workflow: w\nsteps: [{ id: a, tool: s/t }]\n', { 's/t': effect });
  const drivers = new RunDrivers(
    testPorts({
      worker: 'w1',
      journal: {
        open: (id, after) => {
          did.push('read');
          return door.open(id, after);
        },
      },
      blobs: journal.blobs,
      plans: async () => plan,
      clock: clockOf(async () => undefined),
      calls: {
        callTool: async () => {
          did.push('call');
          return { result: textResult('done') };
        },
      },
    }),
  );
  const idempotency = { scope: 'runs', key: key ?? 'one', digest: 'd' };
  if (key !== undefined) await journal.request({ event: requestedEvent(), idempotency });
  const event = requestedEvent();
  const log = new UnstoredLog(runId, (first) => door.requestBegun({ runId, event, idempotency }, first));
  const [driven, asked] = await Promise.allSettled([
    drivers.begin({ run: replay(runId, [event]), log, plan }),
    log.outcome,
  ]);
  return { journal, drivers, driven, asked, did, late };
}

test('A run that begins where it was accepted is stored with its claim and its first intent, and nothing is read', async () => {
  const { journal, driven, asked, did } = await begun('write', 'written');
  expect([driven, asked]).toMatchObject([{ value: 'finished' }, { value: { kind: 'created', runId } }]);
  const types = (await journal.open(runId))?.events.map(({ type }) => type);
  expect(types).toEqual(['run.requested', 'run.claimed', 'step.started', 'step.succeeded', 'run.finished']);
  expect(did).toEqual(['call']);
});

test.each(['read', 'write'] as const)('A %s is not made for a request whose key has a run already', async (effect) => {
  const { journal, driven, asked, did } = await begun(effect, 'written', 'used');
  expect([driven, asked]).toMatchObject([{ value: 'left' }, { value: { kind: 'existing' } }]);
  expect(did).not.toContain('call');
  expect(await journal.open(runId)).toBeUndefined();
});

test('Where the answer to the first append is lost, the journal is read before the call is made, once', async () => {
  const { journal, driven, asked, did } = await begun('write', 'unheard');
  expect([driven, asked]).toMatchObject([{ value: 'finished' }, { reason: { name: 'UnavailableError' } }]);
  expect([did.at(0), did.filter((one) => one === 'call').length]).toEqual(['read', 1]);
  expect(journal.row(runId)?.status).toBe('succeeded');
});

test('A first append that is written after all is found by the worker that it names', async () => {
  const { journal, drivers, driven, did, late } = await begun('read', 'late');
  expect([driven, did]).toMatchObject([{ value: 'left' }, ['read']]);
  for (const commit of late) commit();
  expect(journal.row(runId)).toMatchObject({ status: 'running', worker: 'w1' });
  // `WaitingRunPoll` looks for runs of its worker that nothing drives.
  expect(await drivers.drive(runId)).toBe('finished');
  expect(journal.row(runId)?.status).toBe('succeeded');
});
