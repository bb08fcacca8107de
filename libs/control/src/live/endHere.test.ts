import { setImmediate as turn } from 'node:timers/promises';

import type { RunEvent } from '@baton/engine';
import { RunDrivers, StoredHere, systemClock } from '@baton/runner';
import { MemoryBus, MemoryJournal, planOf, requestedEvent, testPorts, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { EndHere } from './endHere.ts';
import { waitForEnd } from './followRun.ts';
import { RunWatches } from './watches.ts';

const runId = '0197a000-0000-7000-8000-000000000001';
const plan = planOf('workflow: w\nsteps: [{ id: a, tool: s/t }]\n', { 's/t': 'read' });

/** A run that a driver of this process drives, and a client that waits for its end. No hint arrives. */
async function waiting(whileInCall: (journal: MemoryJournal) => Promise<unknown> = async () => undefined) {
  const journal = new MemoryJournal();
  const [stored, bus] = [new StoredHere(), new MemoryBus({ fate: () => 0 })];
  const drivers = new RunDrivers(
    testPorts({
      journal,
      blobs: journal.blobs,
      plans: async () => plan,
      bus,
      calls: {
        callTool: async () => {
          await whileInCall(journal);
          return { result: textResult('done') };
        },
      },
      observe: (run, events) => stored.tell(run, events),
    }),
  );
  const end = new EndHere(stored);
  const event = requestedEvent();
  end.begin(runId, event);
  await journal.request({ runId, event });
  let looks = 0;
  const ended = waitForEnd<readonly RunEvent[]>({
    runId,
    forMs: 60_000,
    mayHaveEnded: false,
    signal: new AbortController().signal,
    look: async () => {
      looks += 1;
      return undefined;
    },
    here: { end, endOf: ({ events }) => events },
    watches: new RunWatches({ bus, positions: async () => new Map(), clock: systemClock }),
    clock: systemClock,
  });
  const outcome = await drivers.drive(runId);
  return { journal, end, ended, outcome, looks: () => looks };
}

test('A client has the end of a run that its process drives without a hint and without a read', async () => {
  const { journal, ended, outcome, looks } = await waiting();
  expect(outcome).toBe('finished');
  // At once: no timer is waited for.
  const events = await Promise.race([ended, turn('late')]);
  expect(events).toEqual((await journal.open(runId))?.events);
  expect(looks()).toBe(0);
});

test('A journal in which another process wrote too is read', async () => {
  const cancel = async (journal: MemoryJournal): Promise<unknown> => {
    const opened = await journal.open(runId);
    const at = opened?.events.at(-1)?.at ?? 0;
    return opened?.log.append({ events: [{ type: 'run.cancelRequested', at, by: 'ada' }] });
  };
  const { end, outcome } = await waiting(cancel);
  expect(outcome).toBe('finished');
  expect(end.ended).toBeUndefined();
});
