/** Asking a run to stop. Asked once, recorded once (I6), however many ask. */
import type { Run, RunEvent } from '@baton/engine';
import type { Bell, Bus, Clock, Journal } from '@baton/runner';
import { advance } from '@baton/runner';

import { ProblemError } from '../http/problem.ts';

export interface CancelOptions {
  readonly journal: Journal;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Told of bells that the queue did not take; the reconciler rings again. */
  readonly onBellFailed: (error: unknown) => void;
}

/** The run as it was asked; undefined where there is none. Rejects with `ProblemError` and `UnavailableError`. */
export async function cancelRun(
  { journal, bell, bus, clock, onBellFailed }: CancelOptions,
  runId: string,
  { by, reason }: { readonly by: string; readonly reason: string | undefined },
): Promise<Run | undefined> {
  const advanced = await advance(journal, runId, (run): RunEvent[] => {
    if (run.endedAt !== undefined) {
      throw new ProblemError(
        'already-finished',
        `The run has ${run.status === 'cancelled' ? 'been ' : ''}${run.status}.`,
      );
    }
    if (run.cancel !== undefined) return [];
    const at = Math.max(clock.now(), run.at);
    return [{ type: 'run.cancelRequested', at, by, ...(reason === undefined ? {} : { reason }) }];
  });
  if (advanced === undefined) return undefined;
  const { run } = advanced;
  if (advanced.events.length > 0) {
    bus.publish({ runId, seq: run.seq });
    bell.ring([{ runId, priority: run.priority }]).catch(onBellFailed);
  }
  return run;
}
