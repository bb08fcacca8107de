/** Helpers that the fault tests of both backings share. */
import { randomUUID } from 'node:crypto';

import type { BellHandler } from '@baton/runner';
import { soon } from '@baton/testing';
import { expect } from 'vitest';

import type { OpenQueue } from '../openQueue.ts';

interface TestListener {
  readonly queue: OpenQueue;
  readonly heard: string[];
}

export const note =
  (heard: string[]): BellHandler =>
  async (runId) => {
    heard.push(runId);
  };

/** As the reconciler does: rings until the run is heard. */
export async function ringUntilHeard({ queue, heard }: TestListener): Promise<void> {
  const runId = randomUUID();
  await soon(async () => {
    await queue.bell.ring([{ runId }]).catch(() => undefined);
    expect(heard).toContain(runId);
  });
}

/** Empties the queue while twenty bells are being answered and many more wait. */
export async function emptyHalfWay({ queue, heard }: TestListener, empty: () => Promise<unknown>): Promise<void> {
  const halfWay = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  queue.listen(
    async (runId) => {
      heard.push(runId);
      if (heard.length === 20) halfWay.resolve();
      await goOn.promise;
    },
    { concurrency: 20 },
  );
  await queue.bell.ring(Array.from({ length: 200 }, () => ({ runId: randomUUID() })));
  await halfWay.promise;
  await empty();
  goOn.resolve();
}
