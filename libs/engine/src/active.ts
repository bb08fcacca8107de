/** What a step that has begun and is not over needs now. */
import type { CallStep, Step } from '@baton/language';

import { beginStep } from './begin.ts';
import { decideBlock } from './block.ts';
import type { Deciding, Stop, Verdict } from './decision.ts';
import { lost } from './judge.ts';
import { decideForEach, decideRepeat } from './loops.ts';
import { decideParallel } from './parallel.ts';
import type { Path } from './path.ts';
import type { Place } from './place.ts';
import type { RunningStep, StepState } from './step.ts';
import { decideWaiting } from './waiting.ts';

type ActiveState = Extract<StepState, { status: 'running' | 'waiting' | 'retrying' }>;

export function decideActive(d: Deciding, step: Step, state: ActiveState, place: Place, stop: Stop): void {
  const path = place.prefix + step.key;
  if (state.status === 'waiting') decideWaiting(d, step, state, place, stop);
  else if (state.status === 'running') decideRunning(d, step, state, place, stop);
  else if (stop !== undefined) cancel(d, path, state.attempt, stop);
  else if (d.isDue(state.resumeAt)) beginStep(d, step, place, state.attempt + 1);
}

export function cancel(d: Deciding, path: Path, attempt: number, reason: string): void {
  d.events.push({ type: 'step.cancelled', at: d.nowMs, path, attempt, reason });
}

function decideRunning(d: Deciding, step: Step, state: RunningStep, place: Place, stop: Stop): void {
  switch (step.verb) {
    case 'parallel':
    case 'switch':
    case 'forEach':
    case 'repeat':
      return decideControl(d, step, state, place, stop ?? overdue(d, step, state));
    default:
      return decideCall(d, step as CallStep, state, place, stop);
  }
}

function decideCall(d: Deciding, step: CallStep, state: RunningStep, place: Place, stop: Stop): void {
  const path = place.prefix + step.key;
  if (state.claim !== d.run.claim) d.events.push(lost(d.run, step, state, path, d.nowMs));
  else if (stop !== undefined) d.abort.set(path, stop);
  else if (state.call !== undefined)
    d.perform.push({ kind: 'call', path, attempt: state.attempt, call: state.call, step });
}

const timedOut = 'it took longer than it may';

/** A control step's `timeout` stops what is inside it. */
function overdue(d: Deciding, step: Step, state: RunningStep): Stop {
  const { totalMs } = step.timeout;
  return totalMs !== undefined && d.isDue(state.startedAt + totalMs) ? timedOut : undefined;
}

function decideControl(d: Deciding, step: Step, state: RunningStep, place: Place, stop: Stop): void {
  const verdict = inside(d, step, state, place, stop);
  const { verb, attempt } = state;
  const base = { at: d.nowMs, path: place.prefix + step.key, verb, attempt };
  if (verdict.kind === 'done') {
    d.events.push({ type: 'step.succeeded', ...base, value: { json: summary(step, state) } });
  } else if (verdict.kind === 'failed') {
    d.events.push({ type: 'step.failed', ...base, failure: verdict.failure });
  } else if (verdict.kind === 'stopped' && stop === timedOut) {
    const failure = {
      code: 'step-timed-out',
      message: `The step ${step.key} took longer than ${step.timeout.totalMs} ms.`,
      step: base.path,
    };
    d.events.push({ type: 'step.failed', ...base, failure });
  } else if (verdict.kind === 'stopped') {
    cancel(d, base.path, attempt, stop ?? 'something inside it was stopped');
  }
}

function inside(d: Deciding, step: Step, state: RunningStep, place: Place, stop: Stop): Verdict {
  switch (step.verb) {
    case 'switch':
      return decideBlock(d, step.cases[state.case ?? 0]?.block ?? { pointer: step.pointer, steps: [] }, place, stop);
    case 'parallel':
      return decideParallel(d, step, place, stop);
    case 'forEach':
      return decideForEach(d, step, state, place, stop);
    case 'repeat':
      return decideRepeat(d, step, state, place, stop);
    default:
      return { kind: 'done' };
  }
}

const summary = (step: Step, state: RunningStep): { iterations: number } | null =>
  step.verb === 'repeat' ? { iterations: state.items?.finished ?? 0 } : null;
