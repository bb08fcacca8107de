/** What a process may act on in the journal of a run that has ended. */
import { type RunEvent, isEnded, replay } from '@baton/engine';

import type { OpenRun } from '../ports/journal.ts';
import { ForgedJournalError } from './forgedJournal.ts';

/**
 * The events of the run. Where some are forged: those before, and where the run had not ended by then, its end as failed.
 * Empty where the first event is forged.
 */
export function trustedEvents(runId: string, { events, forgery }: Pick<OpenRun, 'events' | 'forgery'>): RunEvent[] {
  if (forgery === undefined) return [...events];
  const before = events.slice(0, forgery.seq - 1);
  const at = before.at(-1)?.at;
  if (at === undefined) return [];
  const run = replay(runId, before);
  if (isEnded(run)) return before;
  const { failure } = new ForgedJournalError(runId, forgery);
  return [
    ...before,
    { type: 'run.claimed', at, worker: 'unknown', claim: run.claim + 1 },
    { type: 'run.finished', at, status: 'failed', failure },
  ];
}
