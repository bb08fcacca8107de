/** Samples that a run wants of the model of the client that called it (`via: caller`), read from its journal. */
import type { Run, RunEvent, Value } from '@baton/engine';
import { isEnded, replay, stateAt, Trace } from '@baton/engine';

import { questionId } from '../questions/openQuestions.ts';

export interface AskedSample {
  /** As of a question. */
  readonly id: string;
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  /** The fields of CreateMessageRequest, as the step says them. */
  readonly request: Value;
}

/** The first that waits for an answer. */
export function openSample(runId: string, events: readonly RunEvent[]): AskedSample | undefined {
  // Most runs have none, and are not folded once more.
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

/** Whether the step waits for the caller's model just now. */
export function isSampleAwaited(run: Run, { path, attempt }: Pick<AskedSample, 'path' | 'attempt'>): boolean {
  const state = stateAt(run, path);
  if (state?.status !== 'waiting' || state.attempt !== attempt) return false;
  return state.awaiting.for === 'sample' && state.arrived === undefined;
}
