/**
 * `ensure`: reads until a condition is true, or until the time is over. A run that says *succeeded* has ensured what it
 * declares, so what is not true fails (`not-achieved`), and so does what cannot be read (`not-verified`).
 */
import { EvaluationError, describeValue, excerpt } from '@baton/expressions';
import { type EnsureStep, type Step, targetOf } from '@baton/language';
import { type Json, defined, durationText } from '@baton/primitives';

import { type Failure, sentenceOf } from '../failure.ts';
import { invariant } from '../invariant.ts';
import type { StepEnsures } from '../state/event.ts';
import { type StepPlace, enterFrame, scopeAt } from '../state/place.ts';
import type { RunningStep } from '../state/step.ts';
import { viewOf } from '../state/view.ts';
import type { BegunStep } from './begunStep.ts';
import { type BlockVerdict, type DecisionInProgress, done, open, stopped } from './decision.ts';
import { expressionFailure } from './expressionFailure.ts';
import type { DecideBlock } from './innerDecisions.ts';
import { writesMade } from './writesMade.ts';

type RunningEnsure = BegunStep<EnsureStep, RunningStep>;

export function decideEnsure(d: DecisionInProgress, begun: RunningEnsure, decideBlock: DecideBlock): BlockVerdict {
  const { step, state, place, path, stop } = begun;
  const { items } = state;
  invariant(items !== undefined, 'an ensure that runs counts its reads');
  const index = items.finished;
  const frame = state.frames.get(String(index));
  if (frame === undefined) {
    if (stop !== undefined) return cutShort(begun);
    if (mayWrite(step)) return { kind: 'failed', failure: unproven(begun) };
    if (items.resumeAt !== undefined && !d.isDue(items.resumeAt)) return open;
  }
  const inside = enterFrame(place, path, index, frame, {});
  const verdict = decideBlock(d, step.body, inside, stop);
  if (verdict.kind === 'open') return verdict;
  if (verdict.kind === 'stopped') return cutShort(begun);
  const failure = verdict.kind === 'failed' ? unreadable(begun, verdict.failure) : failureOf(d, begun, inside);
  if (failure === undefined) return done;
  if (stop !== undefined && place.exceeded === undefined) return stopped;
  const deadline = state.startedAt + (step.withinMs ?? 0);
  if (d.nowMs >= deadline) return { kind: 'failed', failure };
  if (stop !== undefined) return cutShort(begun);
  const resumeAt = Math.min(d.nowMs + step.everyMs, deadline);
  d.events.push({ type: 'item.finished', at: d.nowMs, path, index, again: true, resumeAt });
  return open;
}

/** Whether it is true is not known where a limit ends the reading. A person who cancels ends the run. */
function cutShort(begun: RunningEnsure): BlockVerdict {
  const { exceeded } = begun.place;
  if (exceeded === undefined) return stopped;
  return { kind: 'failed', failure: unreadable(begun, { ...exceeded, details: { limit: exceeded.code } }) };
}

/** Where servers were not asked before the run, their tools may write; nothing is called to find out. */
const mayWrite = ({ body: { steps } }: EnsureStep): boolean =>
  steps.some((step) => step.verb === 'tool' && step.effect.effect !== 'read');

/** Undefined: the condition is true. */
function failureOf(d: DecisionInProgress, begun: RunningEnsure, inside: StepPlace): Failure | undefined {
  const { step, path } = begun;
  const read = inside.frame.steps.get(step.body.steps[0]?.key ?? '');
  invariant(read !== undefined, `the read of ${path} has a state`);
  const result = viewOf(read, d.blobs);
  try {
    const judged = step.that.evaluate(scopeAt(inside, step.that, { result }));
    if (judged === true) return undefined;
    if (judged !== false) return unjudged(begun, judged);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return unreadable(begun, expressionFailure(error, step.pointer, path));
  }
  const found = excerpt(JSON.stringify(result['output'] ?? null), foundMax);
  const writes = writesMade(d.plan, d.run);
  return {
    code: 'not-achieved',
    message: `${conditionText(step)} is not true: ${readText(begun)} found ${found}. ${writes.text}`,
    step: path,
    details: { that: step.that.source, at: step.that.pointer, found, writes: writes.calls },
  };
}

const foundMax = 400;

const conditionText = ({ that }: EnsureStep): string => `\`${excerpt(that.source, 200)}\``;

/** `3 reads of github/get_issue in 1m`. */
function readText({ step, state }: RunningEnsure): string {
  const count = (state.items?.finished ?? 0) + 1;
  const within = count === 1 || step.withinMs === undefined ? '' : ` in ${durationText(step.withinMs)}`;
  return `${count === 1 ? 'the read' : `${count} reads`} of ${ensuresOf(step).read}${within}`;
}

const unreadable = ({ step, path }: RunningEnsure, { code, message, details }: Failure): Failure => ({
  code: 'not-verified',
  message: `Whether ${conditionText(step)} is true is not known (${code}): ${sentenceOf(message)} Nothing was undone for that.`,
  step: path,
  ...defined({ details }),
});

/** Neither true nor false says nothing about the world, as in the `happened` of a check. */
const unjudged = ({ step, path }: RunningEnsure, judged: Json): Failure => ({
  code: 'not-verified',
  message: `Whether ${conditionText(step)} is true is not known: the condition cannot judge what was read, it gave ${describeValue(judged)} in place of true or false. Nothing was undone for that.`,
  step: path,
});

const unproven = ({ step, path }: RunningEnsure): Failure => ({
  code: 'not-verified',
  message: `Whether ${conditionText(step)} is true is not known: nothing says that ${ensuresOf(step).read} only reads, so it was not called. Nothing was undone for that.`,
  step: path,
});

/** What the step ensures, for its journal. */
export const ensuresOf = ({ that, body }: EnsureStep): StepEnsures => {
  const [read] = body.steps;
  return { that: that.source, read: read === undefined ? '' : nameOf(read) };
};

const nameOf = (step: Step): string =>
  step.verb === 'workflow' ? `the workflow ${step.workflow}` : (targetOf(step) ?? step.key);
