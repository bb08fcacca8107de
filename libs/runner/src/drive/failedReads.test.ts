/**
 * Goal: a read that fails costs a run a moment, whichever read it is: no call is aborted, repeated or recorded as unknown.
 * Method: a run that reads from every port; each of its reads fails once, in a run of its own.
 */
import { type RunEvent, FailureError } from '@baton/engine';
import { type AppendFate, MemoryJournal, planOf, requestedEvent, testPorts, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import type { Ports } from '../drivePorts.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import { BlobCache } from '../values/blobCache.ts';
import { RunDrivers } from './runDrivers.ts';

const runId = '0197a000-0000-7000-8000-000000000001';

const start = `workflow: w
concurrency: { limit: 1 }
steps:
  - { id: x, tool: s/large }
  - { id: y, tool: s/large }
`;

/** `pay` is under way while everything behind it is read, and is answered when `last` is called. */
const readsAll = `${start}  - parallel:
      - { id: pay, tool: s/pay, with: { token: "\${{ secrets.KEY }}", given: "\${{ steps.x.text }}" } }
      - steps:
          # The values are durable by then, and are asked of the database.
          - { wait: 5ms }
          - { id: use, tool: s/pay, with: { given: "\${{ steps.y.text }}" } }
          - { id: child, workflow: other, with: { given: "\${{ steps.x.text }}" } }
          - { id: last, tool: s/last, with: { given: "\${{ steps.x.text + steps.y.text }}" } }
outputs: { n: "\${{ size(steps.x.text) }}" }
`;

/** As one whose bytes other runs have used. */
class EmptyCache extends BlobCache {
  override get(): undefined {
    return undefined;
  }
}

interface Played {
  readonly events: readonly RunEvent[];
  /** Names of the reads, in order. */
  readonly reads: readonly string[];
  readonly calls: readonly string[];
  readonly children: number;
  readonly unsavedValues: number;
}

/** Drives the run to its end; the read of this number fails. */
async function play(failing: number, text = readsAll, own: Partial<Ports> = {}): Promise<Played> {
  const events: RunEvent[] = [];
  const reads: string[] = [];
  const calls: string[] = [];
  let children = 0;
  const journal = new MemoryJournal({
    schedule: setImmediate,
    onWritten: (_id, _seq, written) => void events.push(...written),
  });
  const plan = planOf(text, { 's/large': 'read', 's/last': 'read', 's/pay': 'write' });
  const read = <Answer>(name: string, answer: () => Answer): Promise<Awaited<Answer>> => {
    reads.push(name);
    if (reads.length - 1 === failing) throw new UnavailableError('the database cannot be asked now');
    return Promise.resolve(answer());
  };
  const lastCalled = Promise.withResolvers<void>();
  const cache = new EmptyCache(0);
  const ports = testPorts({
    worker: 'w1',
    cache,
    journal: { open: async (id, after) => read('journal', () => journal.open(id, after)) },
    blobs: { get: async (sha256) => read('blob', () => journal.blobs.get(sha256)) },
    plans: async () => read('plan', () => plan),
    secrets: async () => read('secret', () => ({ KEY: 'correct-horse' })),
    admit: async () => read('admission', () => undefined),
    turns: {
      take: async () => read('turn', () => ({ isAdmitted: true, admitted: [], older: [] })),
      pass: async () => [],
    },
    children: {
      request: async () =>
        read('child', () => {
          children += 1;
          return { kind: 'finished', runId: 'child', status: 'succeeded' } as const;
        }),
      cancel: async () => false,
    },
    calls: {
      callTool: async ({ tool }, { attemptKey, beginSend }) => {
        if (beginSend?.() === false) throw new FailureError('worker-lost', 'fenced');
        calls.push(attemptKey);
        if (tool === 'last') lastCalled.resolve();
        if (attemptKey.includes('/pay')) await lastCalled.promise;
        return { result: textResult(tool === 'large' ? attemptKey.repeat(2_000) : 'ok') };
      },
    },
    ...own,
  });
  await journal.request({ runId, event: requestedEvent({ at: Date.now() - 1_000 }) });
  const drives = new RunDrivers(ports);
  const drive = (): Promise<unknown> =>
    drives.drive(runId).catch((error: unknown) => {
      // Nothing was claimed yet. The poll of a worker finds the run again.
      if (!(error instanceof UnavailableError) || events.length > 1) throw error;
      return drive();
    });
  await drive();
  return { events, reads, calls, children, unsavedValues: cache.unsaved.size };
}

const typesOf = ({ events }: Played): string[] => events.map(({ type }) => type);

test('A run makes each call once, whichever of its reads fails', async () => {
  const untroubled = await play(-1);
  expect(new Set(untroubled.reads)).toEqual(
    new Set(['journal', 'plan', 'turn', 'admission', 'secret', 'blob', 'child']),
  );
  for (const failing of untroubled.reads.keys()) {
    const played = await play(failing);
    const name = `read ${failing}, of a ${untroubled.reads[failing]}`;
    const end = played.events.at(-1);
    expect([name, end?.type === 'run.finished' && end.status]).toEqual([name, 'succeeded']);
    expect([name, ...played.calls.toSorted()]).toEqual([name, ...untroubled.calls.toSorted()]);
    expect([name, played.children]).toEqual([name, 1]);
    expect([name, ...typesOf(played).toSorted()]).toEqual([name, ...typesOf(untroubled).toSorted()]);
    expect([name, played.unsavedValues]).toEqual([name, 0]);
  }
});

test('A call whose answer comes while a value is read is made once, and its answer is recorded', async () => {
  const answerable = Promise.withResolvers<void>();
  const text = `${start}  - parallel:
      - steps:
          - { id: pay, tool: s/pay }
          - { id: second, set: { n: "\${{ size(steps.y.text) }}" } }
      - steps:
          - { wait: 5ms }
          - { id: first, set: { n: "\${{ size(steps.x.text) }}" } }
`;
  const journal = new MemoryJournal({ schedule: setImmediate });
  const calls: string[] = [];
  const ports = testPorts({
    journal,
    cache: new EmptyCache(0),
    // Each read takes longer than an append.
    blobs: {
      get: async (sha256) => {
        answerable.resolve();
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        return journal.blobs.get(sha256);
      },
    },
    plans: async () => planOf(text, { 's/large': 'read', 's/pay': 'write' }),
    turns: { take: async () => ({ isAdmitted: true, admitted: [], older: [] }), pass: async () => [] },
    calls: {
      callTool: async ({ tool }, { attemptKey, beginSend }) => {
        if (beginSend?.() === false) throw new FailureError('worker-lost', 'fenced');
        calls.push(attemptKey.replace(`${runId}/`, ''));
        if (tool === 'pay') await answerable.promise;
        return { result: textResult(attemptKey.repeat(2_000)) };
      },
    },
    // No slice of a decision is ever over.
    clock: { ...systemClock, monotonic: () => 0 },
  });
  await journal.request({ runId, event: requestedEvent({ at: Date.now() - 1_000 }) });
  expect(await new RunDrivers(ports).drive(runId)).toBe('finished');
  expect(calls).toEqual(['x#1', 'y#1', 'pay#1']);
  expect(journal.row(runId)).toMatchObject({ status: 'succeeded' });
});

test('A value that cannot be read is asked for less and less often', async () => {
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonic: () => 0,
    after: (ms, callback) => {
      if (ms < 10_000) waits.push(ms);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  let tries = 0;
  const secrets: Ports['secrets'] = async () => {
    tries += 1;
    if (tries <= 8) throw new UnavailableError('the database cannot be asked now');
    return { KEY: 'correct-horse' };
  };
  const { calls } = await play(-1, `${start}  - { id: use, tool: s/pay, with: { k: "\${{ secrets.KEY }}" } }\n`, {
    secrets,
    clock,
  });
  expect(calls).toHaveLength(3);
  expect(waits).toEqual([50, 100, 200, 400, 800, 1_600, 2_000]);
});

test('A run that may not begin is refused, also where its first claim was lost', async () => {
  const fates: AppendFate[] = ['written', 'lost'];
  const journal = new MemoryJournal({ schedule: setImmediate, fate: () => fates.shift() ?? 'written' });
  const plan = planOf('workflow: w\nsteps: [{ id: use, tool: s/pay }]\n');
  await journal.request({ runId, event: requestedEvent() });
  const failure = { code: 'tool-changed', message: 'The tool was changed.' } as const;
  const admit = async () => failure;
  await new RunDrivers(testPorts({ journal, blobs: journal.blobs, plans: async () => plan, admit })).drive(runId);
  expect(journal.row(runId)).toMatchObject({ status: 'failed', failure });
});

test('A run whose value was changed in the database fails with `integrity-lost`', async () => {
  const get = async (): Promise<never> => {
    throw new FailureError('integrity-lost', 'The value was changed.');
  };
  const { events, calls, unsavedValues } = await play(
    -1,
    `${start}  - { id: use, tool: s/pay, with: { given: "\${{ steps.x.text }}" } }\n`,
    {
      blobs: { get },
    },
  );
  expect(events.at(-1)).toMatchObject({ status: 'failed', failure: { code: 'integrity-lost' } });
  expect(calls).toHaveLength(2);
  expect(unsavedValues).toBe(0);
});
