/**
 * Appends from outside the worker that drives the run: cancels, answers, signals, a child's end, a late answer. A
 * writer that loses the race reads the tail, folds it and decides again (invariant I3).
 */
import { type Run, type RunEvent, changedRow, evolve } from '@baton/engine';

import { type Journal, ConflictError, UnavailableError } from '../ports/journal.ts';
import type { BlobOffloader } from '../values/blobOffloader.ts';
import { ForgedJournalError } from './forgedJournal.ts';
import { openRun } from './openRun.ts';

/** A busy worker appends about every millisecond; losing more often than this means that something else is wrong. */
const triesMax = 100;

export interface AdvancedRun {
  /** The run with `events` folded in. */
  readonly run: Run;
  /** The appended events; empty where `follow` decided that nothing follows. */
  readonly events: readonly RunEvent[];
}

/**
 * Reads the run, calls `follow` for the events that follow, and appends them. A lost race calls `follow` again.
 * `offloader` is needed where the events may hold large values. Undefined where there is no such run. Rejects with
 * `UnavailableError`, with `ForgedJournalError`, and with the errors of `follow`.
 */
export async function advance(
  journal: Journal,
  runId: string,
  follow: (run: Run) => readonly RunEvent[],
  offloader?: BlobOffloader,
): Promise<AdvancedRun | undefined> {
  for (let tries = 0; tries < triesMax; tries++) {
    const opened = await openRun(journal, runId);
    if (opened === undefined) return undefined;
    const { run: before, log } = opened;
    const events = follow(before).map(offloader?.offload ?? unchanged);
    if (events.length === 0) return { run: before, events };
    const run = events.reduce(evolve, before);
    const row = changedRow(before, run);
    const blobs = offloader?.takeBlobs() ?? [];
    try {
      await log.append({
        events,
        ...(row === undefined ? {} : { row }),
        ...(blobs.length === 0 ? {} : { blobs }),
      });
      return { run, events };
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new UnavailableError(`run ${runId} changed ${triesMax} times while an append was tried`);
}

/** As `advance`; undefined for a forged journal. For events about another run, whose own worker reports the forgery. */
export const advanceUnlessForged: typeof advance = (...wanted) =>
  advance(...wanted).catch((error: unknown) => {
    if (error instanceof ForgedJournalError) return undefined;
    throw error;
  });

const unchanged = (event: RunEvent): RunEvent => event;
