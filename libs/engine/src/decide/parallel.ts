/**
 * `parallel`: children share the frame around them; `needs` orders them; the first failure stops the others, or with
 * `until: first` the first success does.
 */
import type { ParallelStep, Step } from '@baton/language';
import type { Json } from '@baton/primitives';

import { notVerified } from '../failure.ts';
import { isEnsured } from '../state/ensure.ts';
import type { StepPlace } from '../state/place.ts';
import { viewOf } from '../state/view.ts';
import type { BegunStep } from './begunStep.ts';
import { type BlockVerdict, DecisionInProgress, done, open, stopped } from './decision.ts';
import type { DecideStep } from './innerDecisions.ts';

/** The reason with which the slower steps of a race are cancelled. */
export const raceIsOver = 'a step beside it succeeded first';

export function decideParallel(
  d: DecisionInProgress,
  { step, place, stop }: BegunStep<ParallelStep>,
  decideStep: DecideStep,
): BlockVerdict {
  const begun = step.steps.filter(({ key }) => place.frame.steps.has(key));
  const probe = new DecisionInProgress(d, true);
  const before = new Map(begun.map((child) => [child.key, decideStep(probe, child, place, undefined)]));
  const failed = [...before].find(([, { kind }]) => kind === 'failed');
  const isRace = step.until === 'first';
  const reason = isRace ? firstOf(step, place) && raceIsOver : failed && `the step ${failed[0]} beside it failed`;
  const inner = stop ?? reason;
  const inside = isRace ? place : besideFailure(place, failed?.[1]);
  const verdicts = begun.map((child) => decideStep(d, child, inside, inner));
  const active = verdicts.filter(({ kind }) => kind === 'open').length;
  const isReady = ({ key, needs }: Step): boolean =>
    !place.frame.steps.has(key) && needs.every((need) => before.get(need)?.kind === 'done');
  const room = inner === undefined ? Math.max(0, step.maxParallel - active) : 0;
  const ready = step.steps.filter(isReady).slice(0, room);
  for (const child of ready) decideStep(d, child, place, undefined);
  if (active + ready.length > 0) return open;
  if (isRace && firstOf(step, place) !== undefined) return done;
  if (failed !== undefined) return failed[1];
  return begun.length < step.steps.length || verdicts.some(({ kind }) => kind === 'stopped') ? stopped : done;
}

/** Child runs that are stopped for a failure which undoes nothing undo nothing. */
const besideFailure = (place: StepPlace, verdict: BlockVerdict | undefined): StepPlace =>
  verdict?.kind === 'failed' && verdict.failure.code === notVerified
    ? { ...place, unverified: verdict.failure }
    : place;

/** The step of a race that succeeded first. */
function firstOf({ steps }: ParallelStep, { frame }: StepPlace): Step | undefined {
  let first: { readonly step: Step; readonly seq: number } | undefined;
  for (const step of steps) {
    const state = frame.steps.get(step.key);
    if (state?.status === 'succeeded' && isEnsured(step, state) && (first === undefined || state.seq < first.seq))
      first = { step, seq: state.seq };
  }
  return first?.step;
}

/** The value of a race: the id of the step that succeeded first, and its output. Throws `BlobsNeeded`. */
export function answerOf(race: ParallelStep, place: StepPlace): Json {
  const first = firstOf(race, place);
  return { first: first?.id ?? null, output: first === undefined ? null : outputOf(first, place) };
}

/** The output of a step; of a group, that of its last step. */
function outputOf(step: Step, place: StepPlace): Json {
  const last = step.verb === 'steps' ? step.body.steps.findLast(({ verb }) => verb !== 'ensure') : undefined;
  if (last !== undefined) return outputOf(last, place);
  const state = place.frame.steps.get(step.key);
  return state === undefined ? null : (viewOf(state, place.blobs)['output'] ?? null);
}
