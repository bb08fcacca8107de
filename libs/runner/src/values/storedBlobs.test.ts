/** A large value goes to the journal once for each run, and is there after a lost commit. */
import { MemoryJournal, planOf, requestedEvent, testPorts, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { RunDrivers } from '../drive/runDrivers.ts';
import type { Journal } from '../ports/journal.ts';
import { BlobCache } from './blobCache.ts';

const runId = '0197a000-0000-7000-8000-000000000001';
const large = 'x'.repeat(100_000);
const steps = ['a', 'b', 'c'].map((id) => `  - { id: ${id}, tool: s/write }`).join('\n');

/** Drives a run of three calls that answer alike. `lost`: the number of the commit that is not written. */
async function driveWithLoss(lost?: number): Promise<{ readonly given: number; readonly journal: MemoryJournal }> {
  // The request comes first.
  let commits = -1;
  let given = 0;
  const journal = new MemoryJournal({
    schedule: setImmediate,
    fate: () => (commits++ === lost ? 'lost' : 'written'),
  });
  const counting: Journal = {
    open: async (id, after) => {
      const opened = await journal.open(id, after);
      if (opened === undefined) return undefined;
      const { log } = opened;
      const append: typeof log.append = (one) => {
        given += one.blobs?.length ?? 0;
        return log.append(one);
      };
      return { ...opened, log: { runId: id, seq: log.seq, append, flush: () => log.flush() } };
    },
  };
  const plan = planOf(`workflow: w\nsteps:\n${steps}\n`, {});
  const drivers = new RunDrivers(
    testPorts({
      worker: 'w1',
      journal: counting,
      blobs: journal.blobs,
      cache: new BlobCache(0),
      plans: async () => plan,
      calls: { callTool: async () => ({ result: textResult(large) }) },
    }),
  );
  await journal.request({ runId, event: requestedEvent() });
  await drivers.drive(runId);
  return { given, journal };
}

test('the same large value is given to the journal once', async () => {
  expect((await driveWithLoss()).given).toBe(1);
});

test.each([0, 1, 2, 3])('it can be read where commit %i is lost', async (lost) => {
  const { journal } = await driveWithLoss(lost);
  const { events = [] } = (await journal.open(runId)) ?? {};
  const digests = [...JSON.stringify(events).matchAll(/"sha256":"(\w+)"/g)].map(([, digest]) => digest ?? '');
  expect(journal.row(runId)?.status).toBe('succeeded');
  expect(digests).toHaveLength(3);
  for (const digest of digests) expect(await journal.blobs.get(digest)).toContain(large);
});
