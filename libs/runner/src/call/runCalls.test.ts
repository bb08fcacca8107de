/** What a worker sends, and how often: also while its run changes hands, or is cancelled. */
import { type RunEvent, FailureError } from '@baton/engine';
import { MemoryJournal, planOf, requestedEvent, testPorts, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { RunDrivers } from '../drive/runDrivers.ts';
import type { CallContext, CallResult } from '../ports/calls.ts';
import { advance } from '../record/advance.ts';

const runId = '0197a000-0000-7000-8000-000000000001';
const ok: CallResult = { result: textResult('ok') };

interface World {
  readonly drives: RunDrivers;
  /** Types of the events in the journal. */
  readonly types: () => readonly string[];
  /** Appends what another process would append; with `isHinted`, the driver learns of it at once. */
  readonly append: (follow: Parameters<typeof advance>[2], isHinted?: boolean) => Promise<void>;
}

/** A run of one step, and a worker that drives it. */
async function worldOf(step: string, ports: Partial<Parameters<typeof testPorts>[0]>): Promise<World> {
  const events: RunEvent[] = [];
  const journal = new MemoryJournal({ onWritten: (_, __, written) => void events.push(...written) });
  const plan = planOf(`workflow: w\nsteps:\n  - ${step}\n`);
  await journal.request({ runId, event: requestedEvent() });
  const drives = new RunDrivers(testPorts({ journal, blobs: journal.blobs, plans: async () => plan, ...ports }));
  return {
    drives,
    types: () => events.map(({ type }) => type),
    append: async (follow, isHinted = true) => {
      const advanced = await advance(journal, runId, follow);
      if (isHinted) drives.routeHint({ runId, seq: advanced?.run.seq ?? 0 });
    },
  };
}

/** Another worker takes the run from a worker that it holds for dead. */
const takeOver: Parameters<typeof advance>[2] = ({ at, claim }) => [
  { type: 'run.claimed', at, worker: 'two', claim: claim + 1 },
  {
    type: 'step.unknown',
    at,
    path: 'a',
    attempt: 1,
    failure: { code: 'outcome-unknown', message: 'The worker died.', step: 'a' },
  },
];

/** A call that begins when it is awaited, and ends when the test says. */
function callByHand() {
  const begun = Promise.withResolvers<CallContext>();
  const answer = Promise.withResolvers<CallResult>();
  const callTool = (_: unknown, context: CallContext): Promise<CallResult> => {
    context.beginSend?.();
    begun.resolve(context);
    return answer.promise;
  };
  return { begun: begun.promise, answer: () => answer.resolve(ok), calls: { callTool } };
}

test('a write whose run another worker took over goes on, and its answer replaces `unknown`', async () => {
  const { begun, answer, calls } = callByHand();
  const { drives, types, append } = await worldOf('{ id: a, tool: s/write }', { calls });
  const driven = drives.drive(runId);
  const { signal } = await begun;
  await append(takeOver);
  expect(await driven).toBe('lost');
  expect(signal.aborted).toBe(false);
  answer();
  await expect.poll(() => types().at(-1)).toBe('step.succeeded');
});

test('the answer of a write is not lost where another worker took the run before it was written', async () => {
  const { begun, answer, calls } = callByHand();
  const { drives, types, append } = await worldOf('{ id: a, tool: s/write }', { calls });
  const driven = drives.drive(runId);
  await begun;
  await append(takeOver, false);
  answer();
  expect(await driven).toBe('lost');
  await expect.poll(() => types().at(-1)).toBe('step.succeeded');
});

test('The progress that a server reports right before its answer is on record, before the answer', async () => {
  const { begun, answer, calls } = callByHand();
  const { drives, types } = await worldOf('{ id: a, tool: s/write }', { calls });
  const driven = drives.drive(runId);
  const { onProgress } = await begun;
  onProgress({ progress: 1, total: 1, message: 'all of it' });
  answer();
  expect(await driven).toBe('finished');
  expect(types().filter((type) => /progressed|succeeded/.test(type))).toEqual(['step.progressed', 'step.succeeded']);
});

test('a write that was not sent when another worker took the run is not sent any more', async () => {
  const secrets = Promise.withResolvers<Readonly<Record<string, string>>>();
  const asked = Promise.withResolvers<void>();
  const mayBeSent: (boolean | undefined)[] = [];
  const { drives, append } = await worldOf('{ id: a, tool: s/write, with: { key: "${{ secrets.KEY }}" } }', {
    secrets: async () => {
      asked.resolve();
      return secrets.promise;
    },
    calls: {
      callTool: async (_, { beginSend }) => {
        mayBeSent.push(beginSend?.());
        return ok;
      },
    },
  });
  const driven = drives.drive(runId);
  await asked.promise;
  await append(takeOver);
  expect(await driven).toBe('lost');
  secrets.resolve({ KEY: 'a secret of some length' });
  await expect.poll(() => mayBeSent).toEqual([false]);
});

test('a write that is under way while the run goes on beside it is made once', async () => {
  const { begun, answer, calls } = callByHand();
  const made: string[] = [];
  const { drives, types } = await worldOf('{ parallel: [{ id: a, tool: s/slow }, { id: b, tool: s/quick }] }', {
    calls: {
      callTool: async ({ tool }, context) => {
        made.push(tool);
        return tool === 'slow' ? calls.callTool(tool, context) : ok;
      },
    },
  });
  const driven = drives.drive(runId);
  await begun;
  await expect.poll(types).toContain('step.succeeded');
  answer();
  expect(await driven).toBe('finished');
  expect(made).toEqual(['slow', 'quick']);
});

test('a child run that is cancelled while it is requested is cancelled once it is there', async () => {
  const asked = Promise.withResolvers<void>();
  const there = Promise.withResolvers<void>();
  const done: string[] = [];
  const { drives, types, append } = await worldOf('{ id: a, workflow: other }', {
    children: {
      request: async () => {
        asked.resolve();
        await there.promise;
        done.push('requested');
        return { kind: 'running', runId: 'child' };
      },
      cancel: async () => {
        done.push('cancelled');
        return done.includes('requested');
      },
    },
  });
  const driven = drives.drive(runId);
  await asked.promise;
  await append(({ at }) => [{ type: 'run.cancelRequested', at, by: 'ada' }]);
  // The driver reads the cancel before the request ends.
  await new Promise(setImmediate);
  there.resolve();
  expect(await driven).toBe('waiting');
  expect(done).toEqual(['requested', 'cancelled']);
  expect(types()).not.toContain('child.finished');
});

test('A child run that the database refuses fails its step, and the run goes on', async () => {
  const { drives, types } = await worldOf('{ id: a, workflow: other, onError: ignore }', {
    children: {
      request: async () => {
        throw new FailureError('limit-exceeded', 'The database refused the value.');
      },
      cancel: async () => false,
    },
  });
  expect(await drives.drive(runId)).toBe('finished');
  expect(types()).toContain('child.finished');
});
