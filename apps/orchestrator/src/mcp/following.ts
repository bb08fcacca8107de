/** Follows a run for the caller of a tool: reports progress, stops at questions and at the end. */
import { type AskedQuestion, type FollowEnd, type RunWatches, followRun, questionsIn } from '@baton/control';
import { type RunEvent, Trace } from '@baton/engine';
import type { Clock, Journal } from '@baton/runner';

import { type AskedSample, openSample } from './pendingSamples.ts';

export interface FollowOptions {
  readonly journal: Journal;
  readonly watches: RunWatches;
  readonly clock: Clock;
  readonly runId: string;
  /** How long the caller waits. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  /** Whether a question of the run ends the wait. */
  readonly stopsAt: (question: AskedQuestion) => boolean;
  readonly onEvents: (events: readonly RunEvent[], position: number) => void;
}

export type Outcome =
  | { readonly kind: 'finished'; readonly events: readonly RunEvent[] }
  | { readonly kind: 'asked'; readonly question: AskedQuestion }
  /** The run waits for the model of its MCP client. */
  | { readonly kind: 'sampled'; readonly sample: AskedSample }
  /** The run goes on, or waits, for longer than the caller, or than this process. */
  | { readonly kind: 'late'; readonly events: readonly RunEvent[] }
  | { readonly kind: 'left' };

/** Rejects with `UnavailableError`. */
export function followForCaller(options: FollowOptions): Promise<Outcome> {
  const { journal, watches, clock, runId, forMs, stopsAt, onEvents } = options;
  const deadline = clock.now() + forMs;
  const events: RunEvent[] = [];
  const look = async (end: FollowEnd | undefined): Promise<Outcome | undefined> => {
    if (end === 'left') return { kind: 'left' };
    const fresh = (await journal.open(runId, events.length))?.events ?? [];
    events.push(...fresh);
    if (fresh.length > 0) onEvents(fresh, events.length);
    if (events.at(-1)?.type === 'run.finished') return { kind: 'finished', events };
    const question = questionsIn(runId, events).find((one) => one.isOpen && stopsAt(one));
    if (question !== undefined) return { kind: 'asked', question };
    const sample = openSample(runId, events);
    if (sample !== undefined) return { kind: 'sampled', sample };
    return end === 'late' || sleepsPast(deadline, events) ? { kind: 'late', events } : undefined;
  };
  return followRun({ ...options, looksFirst: true, watch: (onGrown) => watches.watch(runId, 0, onGrown), look });
}

/** Whether the run is released, and nothing but time can wake it, after the deadline. */
function sleepsPast(deadline: number, events: readonly RunEvent[]): boolean {
  const last = events.at(-1);
  if (last?.type !== 'run.waiting' || last.wakeAt === undefined || last.wakeAt <= deadline) return false;
  return Trace.of(events).steps.every(
    ({ status, awaiting }) => status !== 'waiting' || awaiting?.for === 'time' || awaiting?.for === 'turn',
  );
}
