/** `parallel`: children share the frame around them; `needs` orders them; the first failure stops the others. */
import type { ParallelStep, Step } from '@baton/language';

import type { StopReason, BlockVerdict } from './decision.ts';
import { DecisionInProgress, done, open, stopped } from './decision.ts';
import type { DecideStep } from './innerDecisions.ts';
import type { StepPlace } from './place.ts';

export function decideParallel(
  d: DecisionInProgress,
  step: ParallelStep,
  place: StepPlace,
  stop: StopReason,
  decideStep: DecideStep,
): BlockVerdict {
  const begun = step.steps.filter(({ key }) => place.frame.steps.has(key));
  const probe = new DecisionInProgress(d, true);
  const before = new Map(begun.map((child) => [child.key, decideStep(probe, child, place, undefined)]));
  const failure = before.values().find(({ kind }) => kind === 'failed');
  const inner = stop ?? (failure === undefined ? undefined : 'a step beside it failed');
  const verdicts = begun.map((child) => decideStep(d, child, place, inner).kind);
  const active = verdicts.filter((kind) => kind === 'open').length;
  const isOver = (key: string): boolean => before.get(key)?.kind === 'done';
  const started = inner === undefined ? beginReady(d, step, place, isOver, step.maxParallel - active, decideStep) : 0;
  if (active + started > 0) return open;
  if (failure !== undefined) return failure;
  return begun.length < step.steps.length || verdicts.includes('stopped') ? stopped : done;
}

/** Begins children whose `needs` are met, at most `room` of them. */
function beginReady(
  d: DecisionInProgress,
  step: ParallelStep,
  place: StepPlace,
  isOver: (key: string) => boolean,
  room: number,
  decideStep: DecideStep,
): number {
  const isReady = ({ key, needs }: Step): boolean => !place.frame.steps.has(key) && needs.every(isOver);
  const ready = step.steps.filter(isReady).slice(0, Math.max(0, room));
  for (const child of ready) decideStep(d, child, place, undefined);
  return ready.length;
}
