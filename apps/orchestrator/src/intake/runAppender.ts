/** Appending to a run from outside of the worker that drives it, and telling that worker, or any, to go on. */
import { ProblemError } from '@baton/api';
import type { Run, RunEvent, UnfinishedRun } from '@baton/engine';
import { isEnded } from '@baton/engine';
import type { Bell, Bus, Clock, Journal, BlobOffloader } from '@baton/runner';
import { advance } from '@baton/runner';

export interface RunAppender {
  readonly journal: Journal;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Told of bells that the queue did not take; the reconciler rings again. */
  readonly onBellFailed: (error: unknown) => void;
}

/**
 * `follow` says what is to be appended, and is asked again where somebody else was first. The run with it folded in;
 * undefined where there is no such run. `keeper`: puts large values aside. Rejects with `UnavailableError` and with whatever `follow` throws.
 */
export async function appendOutside(
  { journal, bell, bus, clock, onBellFailed }: RunAppender,
  runId: string,
  follow: (run: Run, at: number) => readonly RunEvent[],
  keeper?: BlobOffloader,
): Promise<Run | undefined> {
  const advanced = await inLine(runId, () =>
    advance(journal, runId, (run) => follow(run, Math.max(clock.now(), run.at)), keeper),
  );
  if (advanced === undefined) return undefined;
  const { run } = advanced;
  if (advanced.events.length > 0) {
    bus.publish({ runId, seq: run.seq, ...(isEnded(run) && { isLast: true }) });
    bell.ring([{ runId, priority: run.priority }]).catch(onBellFailed);
  }
  return run;
}

/** By run: resolves, whatever came of it, when the last in line is done. */
const lines = new Map<string, Promise<unknown>>();

/** Who comes at the same moment waits here, instead of losing a hundred races against the others of this process. */
async function inLine<Result>(runId: string, work: () => Promise<Result>): Promise<Result> {
  const own = (lines.get(runId) ?? Promise.resolve()).then(work);
  const done = own.then(
    () => undefined,
    () => undefined,
  );
  lines.set(runId, done);
  try {
    return await own;
  } finally {
    if (lines.get(runId) === done) lines.delete(runId);
  }
}

/** Throws `ProblemError` where the run is over. */
export function checkUnfinished(run: Run): asserts run is UnfinishedRun {
  if (!isEnded(run)) return;
  const { status } = run;
  throw new ProblemError('already-finished', `The run has ${status === 'cancelled' ? 'been ' : ''}${status}.`);
}
