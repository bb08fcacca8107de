/** Waits for a run on behalf of a client: the one loop for REST, MCP, the gateway and devices. */
import type { RunEvent } from '@baton/engine';
import { Latch } from '@baton/primitives';
import type { Clock, Journal } from '@baton/runner';

import type { EndHere, JournalOfRun } from './endHere.ts';
import type { RunWatches } from './watches.ts';

/** Why the caller waits no longer: its time is up, or this process stops; or it has left. */
export type FollowEnd = 'late' | 'left';

export interface FollowRunOptions<Answer> {
  /** Calls back after signs that the run has gone on, until the returned function is called. */
  readonly watch: (onGrown: () => void) => () => void;
  readonly watches: Pick<RunWatches, 'untilStop'>;
  readonly clock: Pick<Clock, 'after'>;
  /** How long the caller waits. */
  readonly forMs: number;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Whether to look at once, or only after the first sign. */
  readonly looksFirst: boolean;
  /** The predicate of the end. Undefined: the caller goes on waiting. Rejects with `UnavailableError`. */
  readonly look: (end: FollowEnd | undefined) => Promise<Answer | undefined>;
}

/** Calls `look` after each sign and at each end of the caller's patience, until it answers. Rejects as `look` does. */
export async function followRun<Answer>(options: FollowRunOptions<Answer>): Promise<Answer> {
  const { watch, watches, clock, forMs, signal, looksFirst, look } = options;
  const latch = new Latch();
  let end: FollowEnd | undefined = signal.aborted ? 'left' : undefined;
  const endAs = (how: FollowEnd) => (): void => {
    end = end === 'left' ? end : how;
    latch.raise();
  };
  const leave = endAs('left');
  const undo = [watch(() => latch.raise()), clock.after(forMs, endAs('late')), watches.untilStop(endAs('late'))];
  signal.addEventListener('abort', leave, { once: true });
  if (looksFirst || signal.aborted) latch.raise();
  try {
    for (;;) {
      await latch.wait();
      const answer = await look(end);
      if (answer !== undefined) return answer;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    for (const one of undo) one();
  }
}

export interface WaitOptions<Ended> extends Pick<FollowRunOptions<Ended>, 'clock' | 'forMs' | 'signal'> {
  readonly runId: string;
  readonly watches: RunWatches;
  /** The run may have ended already: look before waiting. */
  readonly mayHaveEnded: boolean;
  /** Undefined if the run has not ended. Rejects with `UnavailableError`. */
  readonly look: () => Promise<Ended | undefined>;
  /** Where a driver of this process may write the end, and what it is then: neither a hint nor a look is needed. */
  readonly here?: { readonly end: EndHere; readonly endOf: (journal: JournalOfRun) => Ended };
}

/**
 * Resolves to what `look` finds if the run ends in time, and before this process stops; else undefined. Rejects with
 * `UnavailableError`.
 */
export async function waitForEnd<Ended>(options: WaitOptions<Ended>): Promise<Ended | undefined> {
  const { runId, watches, mayHaveEnded: looksFirst, here } = options;
  const watch = (onGrown: () => void) => {
    here?.end.onEnd(onGrown);
    return watches.watch(runId, 1, (mayBeOver) => (mayBeOver ? onGrown() : undefined));
  };
  const look = async (end: FollowEnd | undefined): Promise<{ readonly ended: Ended | undefined } | undefined> => {
    const endedHere = here?.end.ended;
    if (here !== undefined && endedHere !== undefined) return { ended: here.endOf(endedHere) };
    const ended = end === undefined ? await options.look() : undefined;
    return ended !== undefined || end !== undefined ? { ended } : undefined;
  };
  return (await followRun({ ...options, looksFirst, watch, look })).ended;
}

/** Looks for the end in the journal: finds the whole journal, and reads each event once. */
export function journalOf(runId: string, journal: Journal): () => Promise<readonly RunEvent[] | undefined> {
  const events: RunEvent[] = [];
  return async () => {
    const opened = await journal.open(runId, events.length);
    events.push(...(opened?.events ?? []));
    return events.at(-1)?.type === 'run.finished' ? events : undefined;
  };
}
