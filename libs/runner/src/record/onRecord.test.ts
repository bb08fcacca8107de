/** I5: what could be felt, or costs money, is on record before it is made. */
import type { RunEvent } from '@baton/engine';
import { MemoryJournal, planOf, requestedEvent, textResult, testPorts } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { RunDrivers } from '../drive/runDrivers.ts';
import type { Ports } from '../drivePorts.ts';
import { systemClock } from '../ports/clock.ts';
import type { Journal, RunLog } from '../ports/journal.ts';
import { BlobCache } from '../values/blobCache.ts';

const runId = '0197a000-0000-7000-8000-000000000001';

interface World {
  /** What had been written when the call was made. */
  readonly onRecord: readonly string[];
  /** What was written at once, and not held back for a while. */
  readonly atOnce: ReadonlySet<string>;
  readonly status: string | undefined;
}

/** Drives a run of one step on a journal that takes a turn of the event loop for each commit. */
async function driveStep(
  step: string,
  more: { readonly whileCommitting?: () => void } & Partial<Ports> = {},
): Promise<World> {
  const { whileCommitting, ...own } = more;
  const written: RunEvent[] = [];
  let onRecord: readonly string[] = [];
  const journal = new MemoryJournal({
    schedule: (commit) =>
      void setImmediate(() => {
        whileCommitting?.();
        commit();
      }),
    onWritten: (_, __, events) => void written.push(...events),
  });
  const atOnce = new Set<string>();
  const observed: Journal = {
    open: async (id, after) => {
      const opened = await journal.open(id, after);
      if (opened === undefined) return undefined;
      const { log } = opened;
      const append: RunLog['append'] = (one) => {
        if (one.mayWait !== true) for (const { type } of one.events) atOnce.add(type);
        return log.append(one);
      };
      return { ...opened, log: { runId: id, seq: log.seq, append, flush: () => log.flush() } };
    },
  };
  const made = (): void => {
    onRecord = written.map(({ type }) => type);
  };
  const answer = async (): Promise<{ result: ReturnType<typeof textResult> }> => {
    made();
    return { result: textResult('ok') };
  };
  const plan = planOf(`workflow: w\nsteps:\n  - ${step}\n`, { 's/read': 'read' });
  const ports = testPorts({
    worker: 'w1',
    journal: observed,
    blobs: journal.blobs,
    cache: new BlobCache(0),
    plans: async () => plan,
    calls: { callTool: answer, getPrompt: answer, readResource: answer },
    models: {
      sample: async () => {
        made();
        const result = { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'm', stopReason: 'endTurn' };
        return { result, usage: { model: 'm', inputTokens: 1, outputTokens: 1 } };
      },
    },
    children: {
      request: async () => {
        made();
        return { kind: 'finished', runId: 'child', status: 'succeeded', outputs: { json: {} } };
      },
      cancel: async () => false,
    },
    secrets: async () => ({}),
    // A decision that took long would let the writer have its turn first.
    clock: { ...systemClock, monotonic: () => 0 },
    ...own,
  });
  const drives = new RunDrivers(ports);
  await journal.request({ runId, event: requestedEvent() });
  written.length = 0;
  await drives.drive(runId);
  return { onRecord, atOnce, status: journal.row(runId)?.status };
}

describe('[L-085] before it is made, it is on record', () => {
  test.each([
    ['a write', '{ id: a, tool: s/write }', 'step.started'],
    ['a sample, which costs money', '{ id: a, sample: { append: Hello, maxTokens: 10 } }', 'step.started'],
    ['a child run', '{ id: a, workflow: other }', 'step.waiting'],
  ])('%s', async (_, step, event) => {
    const { onRecord, status } = await driveStep(step);
    expect(onRecord).toEqual(['run.claimed', event]);
    expect(status).toBe('succeeded');
  });

  test('a read does not wait for an append', async () => {
    expect(await driveStep('{ id: a, tool: s/read }')).toMatchObject({ onRecord: [], status: 'succeeded' });
  });
});

test('a claim is written at once, and so is the end of a call that may have had effects', async () => {
  const { atOnce: ofWrite } = await driveStep('{ id: a, tool: s/write }');
  expect([ofWrite.has('run.claimed'), ofWrite.has('step.succeeded')]).toEqual([true, true]);
  const { atOnce: ofRead } = await driveStep('{ id: a, tool: s/read }');
  expect([ofRead.has('run.claimed'), ofRead.has('step.succeeded')]).toEqual([true, false]);
});

test('a worker that was silent while its intent was committed appends once more before it calls (decision 6)', async () => {
  let nowMs = 0;
  let openSince = 0;
  const { onRecord, status } = await driveStep('{ id: a, tool: s/write }', {
    clock: { ...systemClock, monotonic: () => nowMs },
    fence: { openSince: () => openSince },
    whileCommitting: () => {
      nowMs += 10;
      openSince ||= 5;
    },
  });
  expect(onRecord).toEqual(['run.claimed', 'step.started', 'step.progressed']);
  expect(status).toBe('succeeded');
});
