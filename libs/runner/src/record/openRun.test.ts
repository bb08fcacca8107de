import { type Run, type RunEvent, type Signal, isEnded } from '@baton/engine';
import { MemoryJournal } from '@baton/testing';
import { expect, test } from 'vitest';

import type { Journal } from '../ports/journal.ts';
import { openRun } from './openRun.ts';

const requested = {
  type: 'run.requested',
  at: 1,
  workflow: 'w',
  definition: 'd',
  inputs: { json: {} },
  trigger: { kind: 'api' },
  by: 'ada',
} as const;

const signalsOf = (run: Run | undefined): readonly Signal[] | undefined =>
  run === undefined || isEnded(run) ? undefined : run.signals;

const signals = (count: number): RunEvent[] =>
  Array.from({ length: count }, () => ({ type: 'signal.received', at: 1, name: 'go', payload: null, by: 'ada' }));

/** A journal with one run in it, and how many events were read of it each time. */
async function counted(): Promise<{ memory: MemoryJournal; journal: Journal; read: number[]; runId: string }> {
  const memory = new MemoryJournal();
  const read: number[] = [];
  const journal: Journal = {
    open: async (runId, after) => {
      const opened = await memory.open(runId, after);
      read.push(opened?.events.length ?? -1);
      return opened;
    },
  };
  const { runId } = await memory.request({ event: requested });
  return { memory, journal, read, runId };
}

test('of a long run only newer events are read', async () => {
  const { memory, journal, read, runId } = await counted();
  await (await memory.open(runId))?.log.append({ events: signals(500) });
  const before = await openRun(journal, runId);
  await before?.log.append({ events: signals(2) });
  const { run } = (await openRun(journal, runId)) ?? {};
  expect(read).toEqual([501, 2]);
  expect([run?.seq, signalsOf(run)?.length]).toEqual([503, 502]);
  expect(signalsOf(run)).toEqual(signalsOf((await openRun(memory, runId))?.run));
});

test('a short one is read from its beginning', async () => {
  const { journal, read, runId } = await counted();
  await openRun(journal, runId);
  await openRun(journal, runId);
  expect(read).toEqual([1, 1]);
});

test('a run that was removed, or is shorter than before, is read anew', async () => {
  const { memory, journal, runId } = await counted();
  await (await memory.open(runId))?.log.append({ events: signals(300) });
  let isRestored = false;
  const restored: Journal = {
    open: async (id, after = 0) => (isRestored && after > 100 ? undefined : journal.open(id, after)),
  };
  expect((await openRun(restored, runId))?.run.seq).toBe(301);
  isRestored = true;
  expect((await openRun(restored, runId))?.run.seq).toBe(301);
  expect(await openRun(restored, 'no such run')).toBeUndefined();
});
