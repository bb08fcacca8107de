/** Decides a step that has begun and has not ended. */
import { type Budget, type ControlStep, type Step, isCallStep, isControlStep, isLoopStep } from '@baton/language';
import { type Json, writtenDuration } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { sharedKeys } from '../state/locate.ts';
import type { StepPlace } from '../state/place.ts';
import { type Spending, nothingSpent } from '../state/spending.ts';
import { remainingBudget, overBudget, plus, smallerBudget } from '../state/spent.ts';
import type { RunningStep, StepState } from '../state/step.ts';
import { beginStep } from './begin.ts';
import type { BegunStep } from './begunStep.ts';
import { cancel } from './cancel.ts';
import type { BlockVerdict, DecisionInProgress } from './decision.ts';
import { decideEnsure } from './ensure.ts';
import { decideGroup } from './group.ts';
import type { InnerDecisions } from './innerDecisions.ts';
import { judgeLostCall, judgeRewoundCall } from './judge.ts';
import { decideForEach, decideRepeat } from './loops.ts';
import { answerOf, decideParallel } from './parallel.ts';
import { decideWaiting } from './waiting.ts';

type RunningControl = BegunStep<ControlStep, RunningStep>;

type ActiveState = Extract<StepState, { status: 'running' | 'waiting' | 'retrying' }>;

export function decideActive(d: DecisionInProgress, begun: BegunStep<Step, ActiveState>, inner: InnerDecisions): void {
  const { step, state, place, stop } = begun;
  if (state.status === 'waiting') decideWaiting(d, { ...begun, state });
  else if (state.status === 'running') decideRunning(d, { ...begun, state }, inner);
  else if (stop !== undefined) cancel(d, begun, stop);
  else if (d.isDue(state.resumeAt)) beginStep(d, step, place, state.attempt + 1);
}

function decideRunning(d: DecisionInProgress, begun: BegunStep<Step, RunningStep>, inner: InnerDecisions): void {
  const { step } = begun;
  if (isControlStep(step)) decideControl(d, { ...begun, step }, inner);
  else decideCall(d, { ...begun, step });
}

/** Steps that contain no other steps. Only those that call are ever running. */
type LeafStep = Exclude<Step, ControlStep>;

function decideCall(d: DecisionInProgress, begun: BegunStep<LeafStep, RunningStep>): void {
  const { step, state, path, stop } = begun;
  if (state.claim !== d.run.claim) d.events.push(judgeLostCall(d.run, begun, d.nowMs));
  else if (state.isPerhapsMade) d.events.push(judgeRewoundCall(d.run, begun, d.nowMs));
  // The command was never returned to the driver, so no report of this call will come.
  else if (stop !== undefined && state.seq > d.dispatchedUpTo) cancel(d, begun, stop);
  else if (stop !== undefined) d.abort.set(path, stop);
  else if (state.call !== undefined && isCallStep(step))
    d.perform.push({ kind: 'call', path, attempt: state.attempt, call: state.call, step });
}

function decideControl(d: DecisionInProgress, begun: RunningControl, inner: InnerDecisions): void {
  const { step, state, place, path, stop } = begun;
  const { verb, attempt } = state;
  const spent = spentIn(begun);
  // A group's `timeout` and `budget` limit its steps, not its handler and its `finally`.
  const over = stop === undefined && !isCleaningUp(begun) ? exceededLimit(d, begun, spent) : undefined;
  const allowed = step.budget === undefined ? place : withinBudget(place, remainingBudget(step.budget, spent));
  const within = over === undefined ? allowed : { ...allowed, exceeded: over };
  const verdict = decideInside(d, { ...begun, place: within, stop: stop ?? over?.message }, inner);
  if (verdict.kind === 'open') return;
  const base = { at: d.nowMs, path, verb, attempt };
  const exceeded = verdict.kind === 'stopped' ? over : undefined;
  const failure = verdict.kind === 'failed' ? verdict.failure : exceeded;
  if (hasCleanUp(step) && !isCleaningUp(begun)) {
    const cut = verdict.kind === 'stopped' && failure === undefined ? { cut: true as const } : {};
    d.events.push({ type: 'item.finished', at: d.nowMs, path, index: 0, ...(failure && { failure }), ...cut });
  } else if (verdict.kind === 'done') {
    const undoable = step.undo === undefined ? {} : { undoable: true as const };
    d.events.push({ type: 'step.succeeded', ...base, value: { json: summary(begun) }, ...undoable });
  } else if (failure !== undefined) {
    d.events.push({ type: 'step.failed', ...base, failure });
  } else {
    cancel(d, begun, stop ?? 'something inside it was stopped');
  }
}

/** Why the inside of a control step must stop: it exceeded its `timeout` or its `budget`. */
function exceededLimit(
  d: DecisionInProgress,
  { step, state, path }: RunningControl,
  spent: Spending,
): Failure | undefined {
  const over = overBudget(step.budget, spent);
  if (over !== undefined) {
    return { code: 'budget-exceeded', message: `The step ${step.key} spent ${over}.`, step: path };
  }
  const { totalMs } = step.timeout;
  if (totalMs === undefined || !d.isDue(state.startedAt + totalMs)) return undefined;
  return {
    code: 'step-timed-out',
    message: `The step ${step.key} took longer than ${writtenDuration(totalMs)}.`,
    step: path,
  };
}

const hasCleanUp = (step: ControlStep): boolean => step.verb === 'steps' && step.finally !== undefined;

/** The steps of the group are over; its handler or its `finally` is under way. */
const isCleaningUp = ({ step, state: { items } }: RunningControl): boolean =>
  step.verb === 'steps' && items !== undefined && items.finished > 0;

/** Spending of everything inside: the children of a `parallel` and the steps of a case share the frame around them. */
function spentIn({ step, state, place: { frame } }: RunningControl): Spending {
  const own = state.spent ?? nothingSpent;
  if (step.budget === undefined || isLoopStep(step)) return own;
  return [...sharedKeys(step)].reduce((sum, key) => plus(sum, frame.steps.get(key)?.spent), own);
}

const withinBudget = (place: StepPlace, budget: Budget): StepPlace => ({
  ...place,
  allowance: smallerBudget(place.allowance, budget),
});

function decideInside(
  d: DecisionInProgress,
  begun: RunningControl,
  { decideBlock, decideStep }: InnerDecisions,
): BlockVerdict {
  const { step, state, place, stop } = begun;
  switch (step.verb) {
    case 'switch':
      return decideBlock(d, step.cases[state.case ?? 0]?.block ?? { pointer: step.pointer, steps: [] }, place, stop);
    case 'parallel':
      return decideParallel(d, { ...begun, step }, decideStep);
    case 'steps':
      return decideGroup(d, { ...begun, step }, decideBlock);
    case 'forEach':
      return decideForEach(d, { ...begun, step }, decideBlock);
    case 'repeat':
      return decideRepeat(d, { ...begun, step }, decideBlock);
    case 'ensure':
      return decideEnsure(d, { ...begun, step }, decideBlock);
  }
}

function summary({ step, state, place }: RunningControl): Json {
  if (step.verb === 'repeat') return { iterations: state.items?.finished ?? 0 };
  if (step.verb === 'ensure') return { reads: (state.items?.finished ?? 0) + 1 };
  return step.verb === 'parallel' && step.until === 'first' ? answerOf(step, place) : null;
}
