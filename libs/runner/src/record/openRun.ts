/**
 * Opens a run from its journal. Long runs opened lately are cached, and only their newer events are read: else a parent
 * of ten thousand children would be read from the start ten thousand times. A journal only grows (I2), so this is safe.
 */
import { type Run, evolve, isEnded, replay } from '@baton/engine';
import { NewestMap } from '@baton/primitives';

import type { Journal, RunLog } from '../ports/journal.ts';
import { checkForgery } from './forgedJournal.ts';

/** Number of events from which a run is cached; reading a shorter one is as fast. */
const longEvents = 256;
const rememberedMax = 8;

const remembered = new WeakMap<Journal, NewestMap<string, Run>>();

/** Undefined where there is no such run. Rejects with `UnavailableError` and `ForgedJournalError`. */
export async function openRun(
  journal: Journal,
  runId: string,
): Promise<{ readonly run: Run; readonly log: RunLog } | undefined> {
  const known = remembered.get(journal) ?? new NewestMap<string, Run>(rememberedMax);
  remembered.set(journal, known);
  const before = known.get(runId);
  const opened = await journal.open(runId, before?.seq);
  if (opened === undefined) {
    // The run was removed, or the database was restored to an earlier state.
    return known.delete(runId) ? openRun(journal, runId) : undefined;
  }
  checkForgery(runId, opened);
  const run = before === undefined ? replay(runId, opened.events) : opened.events.reduce(evolve, before);
  // An ended run is not opened again.
  if (isEnded(run)) known.delete(runId);
  else if (run.seq >= longEvents) known.set(runId, run);
  return { run, log: opened.log };
}
