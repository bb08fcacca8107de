/** Runs that wait for a worker: what a start costs behind them. */
import { closedLoop } from '../core/loop.ts';
import type { Stack } from '../sides/stack.ts';
import { storeQueuedRuns } from '../sides/storeRuns.ts';
import { type Measuring, inTurns, openStack, ratioOf, short, startMany } from './measuring.ts';

const overRest = 1_000;

export async function queued(measuring: Measuring): Promise<void> {
  const none = { workers: 0 };
  const [empty, full] = [await openStack(measuring, 'none-queued', none), await openStack(measuring, 'queued', none)];
  await startMany(full, 'w3', overRest);
  // Intake takes no more than 100,000; the measured ones need room.
  await storeQueuedRuns(full.databaseUrl, Math.min(measuring.queued, 100_000) * 0.9 - overRest);
  const p50 = async ({ client }: Stack): Promise<number> =>
    (await closedLoop({ concurrency: 1, forMs: 1_500 }, () => client.start('w3'))).p50Ms;
  for (const stack of [empty, full]) await p50(stack);
  const { ratios } = await inTurns([full, empty], measuring.rounds, p50);
  measuring.promise(ratioOf(`growth.queued.${short(measuring.queued)}.vsEmpty`, ratios, { isBetterHigher: false }));
}
