/** `parallel`: children share the frame around them; `needs` orders them; the first failure stops the others. */
import type { ParallelStep, Step } from '@baton/language';

import { decideStep } from './block.ts';
import type { Stop, Verdict } from './decision.ts';
import { Deciding, done, open, stopped } from './decision.ts';
import type { Place } from './place.ts';

export function decideParallel(d: Deciding, step: ParallelStep, place: Place, stop: Stop): Verdict {
  const failure = step.steps.map((child) => probe(d, child, place)).find(({ kind }) => kind === 'failed');
  const inner = stop ?? (failure === undefined ? undefined : 'a step beside it failed');
  const begun = step.steps.filter(({ key }) => place.frame.steps.has(key));
  const verdicts = begun.map((child) => decideStep(d, child, place, inner).kind);
  const active = verdicts.filter((kind) => kind === 'open').length;
  const started = inner === undefined ? beginReady(d, step, place, step.maxParallel - active) : 0;
  if (active + started > 0) return open;
  if (failure !== undefined) return failure;
  return begun.length < step.steps.length || verdicts.includes('stopped') ? stopped : done;
}

/** Begins children whose needs are met, at most `room` of them. */
function beginReady(d: Deciding, step: ParallelStep, place: Place, room: number): number {
  const isOver = (key: string): boolean =>
    step.steps.some((child) => child.key === key && probe(d, child, place).kind === 'done');
  const ready = step.steps.filter(({ key, needs }) => !place.frame.steps.has(key) && needs.every(isOver));
  const begun = ready.slice(0, Math.max(0, room));
  for (const child of begun) decideStep(d, child, place, undefined);
  return begun.length;
}

/** How a child stands, asked without consequences. */
function probe(d: Deciding, child: Step, place: Place): Verdict {
  if (!place.frame.steps.has(child.key)) return open;
  return decideStep(new Deciding(d.plan, d.run, d.nowMs, d.blobs), child, place, undefined);
}
