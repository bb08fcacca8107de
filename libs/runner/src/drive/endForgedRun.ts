/** Ends a run whose journal was not written by Baton alone. */
import type { RunEvent, RunRow } from '@baton/engine';

import type { Ports } from '../drivePorts.ts';
import { ConflictError } from '../ports/journal.ts';
import type { ForgedJournalError } from '../record/forgedJournal.ts';
import { notifyTrusted } from './childEnds.ts';

type ForgedRunPorts = Pick<Ports, 'journal' | 'bell' | 'bus' | 'clock' | 'worker' | 'noteForgery'>;

/**
 * Ends the run without folding forged events, and notifies its parent. Nothing is undone and calls in flight stay
 * unknown, because the forged journal would decide about both. Rejects with `UnavailableError`.
 */
export async function endForgedRun(ports: ForgedRunPorts, error: ForgedJournalError): Promise<void> {
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
    tokens: 0,
    usd: 0,
  };
  try {
    await opened.log.append({ events: [finished], row });
  } catch (lost) {
    // The other append rings the bell, and this function runs again.
    if (lost instanceof ConflictError) return;
    throw lost;
  }
  await ports.noteForgery?.(runId, failure.message);
  const { events } = opened;
  await notifyTrusted(ports, runId, { events, forgery });
}
