/** Appends to a run that a worker may be driving, and wakes that worker, or another one. */
import { ProblemError } from '@baton/api';
import { type Run, type RunEvent, type UnfinishedRun, isEnded } from '@baton/engine';
import { type Bell, type Bus, type Clock, type Journal, type BlobOffloader, advance } from '@baton/runner';

/** Appends of this process to one run wait for each other, instead of losing races against each other. */
export class AppendQueues {
  /** By run: resolves when its last queued append has ended, successful or not. */
  readonly #last = new Map<string, Promise<unknown>>();

  async next<Result>(runId: string, work: () => Promise<Result>): Promise<Result> {
    const own = (this.#last.get(runId) ?? Promise.resolve()).then(work);
    const done = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(runId, done);
    try {
      return await own;
    } finally {
      if (this.#last.get(runId) === done) this.#last.delete(runId);
    }
  }
}

export interface RunAppender {
  readonly journal: Journal;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly queues: AppendQueues;
  /** Called for bells that the queue refused; the reconciler rings again. */
  readonly onBellFailed: (error: unknown) => void;
}

/**
 * `follow` returns the events to append; it is called again if another append came first. Resolves to the run with
 * these events folded in; undefined if there is no such run. `offloader` moves large values to blobs. Rejects with
 * `UnavailableError`, and with the errors of `follow`.
 */
export async function appendOutside(
  { journal, bell, bus, clock, queues, onBellFailed }: RunAppender,
  runId: string,
  follow: (run: Run, at: number) => readonly RunEvent[],
  offloader?: BlobOffloader,
): Promise<Run | undefined> {
  const advanced = await queues.next(runId, () =>
    advance(journal, runId, (run) => follow(run, Math.max(clock.now(), run.at)), offloader),
  );
  if (advanced === undefined) return undefined;
  const { run } = advanced;
  if (advanced.events.length > 0) {
    bus.publish({ runId, seq: run.seq, ...(isEnded(run) && { isLast: true }) });
    bell.ring([{ runId, priority: run.priority }]).catch(onBellFailed);
  }
  return run;
}

/** Throws `ProblemError` if the run has ended. */
export function checkUnfinished(run: Run): asserts run is UnfinishedRun {
  if (!isEnded(run)) return;
  const { status } = run;
  throw new ProblemError('already-finished', `The run has ${status === 'cancelled' ? 'been ' : ''}${status}.`);
}
