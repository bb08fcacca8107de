/** How a run hears of the ends of its children: one append for many, and none by another where its worker drives both. */
import type { RunEvent } from '@baton/engine';
import { Semaphore } from '@baton/primitives';
import { type AppendFate, MemoryBell, MemoryJournal, planOf, requestedEvent, testPorts } from '@baton/testing';
import { expect, test } from 'vitest';

import type { Ports } from '../drivePorts.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import { requested } from '../record/requested.ts';
import { BlobCache } from '../values/blobCache.ts';
import { RunDrivers } from './runDrivers.ts';

const parentId = '0197a000-0000-7000-8000-000000000001';
const items = 20;
const atOnce = 8;

const plan = planOf(`
workflow: w
steps:
  - id: each
    forEach: "\${{ range(${items}) }}"
    maxParallel: ${atOnce}
    distribute: true
    steps: [{ id: made, set: { n: "\${{ item }}" } }]
    collect: "\${{ steps.made.n }}"
outputs: { sum: "\${{ sum(steps.each.output) }}" }
`);

/** No time passes; the worker has been up for a while. */
const stillClock: Clock = { ...systemClock, monotonic: () => 1_000_000, after: () => () => {} };

/** Time passes only while the run waits, and begins in the middle of a millisecond. */
function passingClock(): Clock {
  let passedMs = 0.3;
  return {
    ...systemClock,
    now: () => Math.round(1_800_000_000_000 + passedMs),
    monotonic: () => passedMs,
    after: (ms, callback) => {
      passedMs += ms;
      queueMicrotask(callback);
      return () => {};
    },
  };
}

interface Around {
  /** Called with the id of each child that was requested. */
  readonly onChild: (runId: string) => void;
  /** Called with what was written to the run of the children. */
  readonly onWritten?: (events: readonly RunEvent[]) => void;
  readonly onChildWritten?: (events: readonly RunEvent[]) => void;
  readonly fate?: () => AppendFate;
  readonly clock?: Clock;
}

interface World {
  readonly journal: MemoryJournal;
  readonly bell: MemoryBell;
  /** A worker that drives the runs; `places`: for runs that it keeps while they only wait for children. */
  readonly worker: (places?: number) => RunDrivers;
  /** How often events of this type were written to the run of the children. */
  readonly count: (type: RunEvent['type']) => number;
}

async function worldOf({ onChild, onWritten, onChildWritten, fate, clock = stillClock }: Around): Promise<World> {
  const written: RunEvent[] = [];
  const journal = new MemoryJournal({
    onWritten: (runId, _seq, events) => {
      if (runId !== parentId) return onChildWritten?.(events);
      written.push(...events);
      return onWritten?.(events);
    },
    ...(fate === undefined ? {} : { fate: (runId) => (runId === parentId ? fate() : 'written') }),
  });
  const bell = new MemoryBell();
  let workers = 0;
  const worker = (places?: number): RunDrivers => {
    workers += 1;
    const ports = testPorts({
      worker: `w${workers}`,
      journal,
      blobs: journal.blobs,
      cache: new BlobCache(0),
      plans: async () => plan,
      children: {
        request: async ({ parent, workflow, inputs, by, depth, item }) => {
          const trigger = { kind: 'workflow' } as const;
          const order = { workflow, definition: 'd', inputs, trigger, by, parent, depth, part: item?.part };
          const { runId } = await journal.request(requested(order, clock.now()));
          onChild(runId);
          return { kind: 'running', runId };
        },
        cancel: async () => false,
      },
      bell,
      clock,
      ...(places === undefined ? {} : { waitingPlaces: new Semaphore(places) }),
    });
    return new RunDrivers(ports);
  };
  await journal.request({ runId: parentId, event: requestedEvent() });
  return { journal, bell, worker, count: (type) => written.filter((event) => event.type === type).length };
}

const sum = (items * (items - 1)) / 2;

test('[L-077] a run keeps its worker while quick items end: one claim for all of them, and no bell', async () => {
  const { journal, bell, worker, count } = await worldOf({ onChild: (runId) => void drives.drive(runId) });
  const drives = worker(1);
  expect(await drives.drive(parentId)).toBe('finished');
  expect(journal.row(parentId)?.outputs).toEqual({ json: { sum } });
  expect([count('run.claimed'), count('run.waiting'), count('child.finished')]).toEqual([1, 0, items]);
  expect(bell.waiting).toEqual([]);
});

test('a run that waits for children is released where its worker has no place for it', async () => {
  const { worker, count } = await worldOf({ onChild: () => undefined });
  expect(await worker(0).drive(parentId)).toBe('waiting');
  expect(count('run.waiting')).toBe(1);
});

test('a run whose children are slow is released after a moment', async () => {
  const { worker, count } = await worldOf({ onChild: () => undefined, clock: passingClock() });
  expect(await worker(1).drive(parentId)).toBe('waiting');
  expect(count('run.waiting')).toBe(1);
});

test('[L-077] items that end together on another worker reach the parent in a few appends, with a bell for each', async () => {
  const children: string[] = [];
  let appends = 0;
  const { bell, worker, count } = await worldOf({
    onChild: (runId) => children.push(runId),
    onWritten: (events) => {
      if (events.some(({ type }) => type === 'child.finished')) appends += 1;
    },
  });
  await worker().drive(parentId);
  const other = worker();
  await Promise.all(children.map((runId) => other.drive(runId)));
  expect(count('child.finished')).toBe(atOnce);
  expect(appends).toBeLessThanOrEqual(2);
  expect(bell.waiting).toHaveLength(appends);
});

test('[L-077] the end of an item is not lost with the append that held it', async () => {
  let isDoomed = false;
  let losses = 0;
  const { journal, worker, count } = await worldOf({
    onChild: (runId) => void drives.drive(runId),
    onChildWritten: (events) => {
      isDoomed ||= losses === 0 && events.some(({ type }) => type === 'run.finished');
    },
    fate: () => {
      if (!isDoomed) return 'written';
      isDoomed = false;
      losses += 1;
      return 'lost';
    },
  });
  const drives = worker(1);
  expect(await drives.drive(parentId)).toBe('finished');
  expect([losses, count('child.finished')]).toEqual([1, items]);
  expect(journal.row(parentId)?.outputs).toEqual({ json: { sum } });
});

test('[L-077] an end that a leaving driver has not written reaches the parent through the journal', async () => {
  const driven: Promise<unknown>[] = [];
  let ends = 0;
  const { worker, count } = await worldOf({
    onChild: (runId) => driven.push(drives.drive(runId)),
    onChildWritten: (events) => {
      if (!events.some(({ type }) => type === 'run.finished')) return;
      ends += 1;
      drives.leave('now');
    },
  });
  const drives = worker(1);
  expect(await drives.drive(parentId)).toBe('left');
  await Promise.all(driven);
  expect(ends).toBeGreaterThan(0);
  expect(count('child.finished')).toBe(ends);
});

test('A parent learns of the end of a child whose turn could not be passed on', async () => {
  const journal = new MemoryJournal();
  const plan = planOf('workflow: w\nconcurrency: { limit: 1 }\nsteps: [{ id: made, set: { n: 1 } }]\n');
  const order = planOf('workflow: w\nsteps: [{ id: c, workflow: other }]\n');
  const turns: Ports['turns'] = {
    take: async () => ({ isAdmitted: true, admitted: [], older: [] }),
    pass: async () => {
      throw new UnavailableError('the database is away');
    },
  };
  await journal.request({ runId: parentId, event: requestedEvent() });
  const children: Ports['children'] = {
    request: async ({ parent, workflow, inputs, by, depth }) => {
      const trigger = { kind: 'workflow' } as const;
      const { runId } = await journal.request(
        requested({ workflow, definition: 'child', inputs, trigger, by, parent, depth }, stillClock.now()),
      );
      return { kind: 'running', runId };
    },
    cancel: async () => false,
  };
  const plans: Ports['plans'] = async (definition) => (definition === 'child' ? plan : order);
  const drives = new RunDrivers(testPorts({ journal, blobs: journal.blobs, plans, children, turns }));
  await drives.drive(parentId);
  const child = journal.childOf({ runId: parentId, path: 'c', attempt: 1 }) ?? '';
  await expect(drives.drive(child)).rejects.toThrow(UnavailableError);
  expect(await drives.drive(parentId)).toBe('finished');
});
