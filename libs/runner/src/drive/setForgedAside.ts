/** Ends a run whose journal was changed behind Baton's back. */
import type { RunEvent, RunRow } from '@baton/engine';
import { evolve, isEnded, replay } from '@baton/engine';

import { ConflictError } from '../ports/journal.ts';
import type { Ports } from '../ports/ports.ts';
import type { ForgedJournalError } from '../record/forgedJournal.ts';
import { tellParent } from './childEnds.ts';

type AsidePorts = Pick<Ports, 'journal' | 'bell' | 'bus' | 'clock' | 'worker' | 'noteForgery'>;

/**
 * Ends the run, without folding what was forged, and tells its parent. What was in flight stays unknown, and nothing is
 * undone: who forged a journal would decide about that too. Rejects with `UnavailableError`.
 */
export async function setForgedAside(ports: AsidePorts, error: ForgedJournalError): Promise<void> {
  const { runId, failure, forgery } = error;
  const opened = await ports.journal.open(runId);
  const last = opened?.events.at(-1);
  if (opened === undefined || last === undefined || last.type === 'run.finished') return;
  const at = Math.max(ports.clock.now(), last.at);
  const finished: RunEvent = { type: 'run.finished', at, status: 'failed', failure };
  const row: RunRow = {
    status: 'failed',
    worker: ports.worker,
    startedAt: undefined,
    endedAt: at,
    wakeAt: undefined,
    outputs: undefined,
    failure,
    isCancelling: false,
    questions: 0,
  };
  try {
    await opened.log.append({ events: [finished], row });
  } catch (lost) {
    // The bell rings again for what was appended meanwhile.
    if (lost instanceof ConflictError) return;
    throw lost;
  }
  await ports.noteForgery?.(runId, failure.message);
  const before = opened.events.slice(0, forgery.seq - 1);
  if (before.length === 0) return;
  const run = replay(runId, before);
  if (isEnded(run)) return;
  const claimed: RunEvent = { type: 'run.claimed', at, worker: ports.worker, claim: run.claim + 1 };
  await tellParent(ports, [claimed, finished].reduce(evolve, run));
}
