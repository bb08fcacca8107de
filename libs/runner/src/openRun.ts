/**
 * A run as its journal has it. The last long ones that were read are remembered as they were then, and only what came
 * since is read: whoever comes back for each of ten thousand children does not read ten thousand times what went before.
 * Nothing can be wrong with it, since a journal only grows (I2).
 */
import type { Run } from '@baton/engine';
import { evolve, replay } from '@baton/engine';

import type { Journal, RunLog } from './journal.ts';

/** Shorter ones are read as fast as they are looked up. */
const longEvents = 256;
const rememberedMax = 8;

const remembered = new WeakMap<Journal, Map<string, Run>>();

/** Undefined where there is no such run. Rejects with `UnavailableError`. */
export async function openRun(
  journal: Journal,
  runId: string,
): Promise<{ readonly run: Run; readonly log: RunLog } | undefined> {
  const known = remembered.get(journal) ?? new Map<string, Run>();
  remembered.set(journal, known);
  const before = known.get(runId);
  const opened = await journal.open(runId, before?.seq);
  if (opened === undefined) {
    // Gone, or put back to what it was before by whoever looks after the database.
    return known.delete(runId) ? openRun(journal, runId) : undefined;
  }
  const run = before === undefined ? replay(runId, opened.events) : opened.events.reduce(evolve, before);
  if (run.seq >= longEvents) remember(known, run);
  return { run, log: opened.log };
}

/** What is over is not asked for again. */
function remember(known: Map<string, Run>, run: Run): void {
  known.delete(run.id);
  if (run.endedAt === undefined) known.set(run.id, run);
  const [oldest] = known.keys();
  if (known.size > rememberedMax && oldest !== undefined) known.delete(oldest);
}
