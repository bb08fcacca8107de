/** Samples that a run requests from the model of the calling client (`via: caller`), read from its journal. */
import { questionId } from '@baton/control';
import { type Run, type RunEvent, type Value, isEnded, replay, stateAt, Trace } from '@baton/engine';

export interface AskedSample {
  /** The id, like that of a question. */
  readonly id: string;
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  /** The fields of CreateMessageRequest from the step. */
  readonly request: Value;
}

/** The first sample that waits for an answer. */
export function openSample(runId: string, events: readonly RunEvent[]): AskedSample | undefined {
  // Most runs have none, and need no folding.
  if (!events.some((event) => event.type === 'step.waiting' && event.awaiting.for === 'sample')) return undefined;
  const run = replay(runId, events);
  if (isEnded(run)) return undefined;
  for (const { path, awaiting } of Trace.of(events).steps) {
    const attempt = stateAt(run, path)?.attempt ?? 0;
    if (awaiting?.for !== 'sample' || !isSampleAwaited(run, { path, attempt })) continue;
    return { id: questionId(runId, path, attempt, '@sample'), runId, path, attempt, request: awaiting.request };
  }
  return undefined;
}

/** Whether the step waits for the caller's model now. */
export function isSampleAwaited(run: Run, { path, attempt }: Pick<AskedSample, 'path' | 'attempt'>): boolean {
  const state = stateAt(run, path);
  if (state?.status !== 'waiting' || state.attempt !== attempt) return false;
  return state.awaiting.for === 'sample' && state.arrived === undefined;
}
