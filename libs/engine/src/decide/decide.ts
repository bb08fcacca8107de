/**
 * Computes what follows from the state of a run: events, calls, and when to look again.
 *
 * Level-triggered: it reads the state, not the last change. Its events hold as soon as they are written, and are not
 * returned again. A process that dies before writing them asks the same question later and gets the same answer.
 */
import { EvaluationError, limits } from '@baton/expressions';
import type { Block, Plan } from '@baton/language';
import { type Json, defined, writtenDuration } from '@baton/primitives';

import { type Failure, cancelledMessage, notVerified } from '../failure.ts';
import { callsUnderWay } from '../state/callsUnderWay.ts';
import type { RunEnd } from '../state/event.ts';
import { stepAt } from '../state/locate.ts';
import type { RootFrame } from '../state/path.ts';
import { type StepPlace, rootPlace, scopeAt } from '../state/place.ts';
import type { Run, RunningRun } from '../state/run.ts';
import { remainingBudget, overBudget, smallerBudget } from '../state/spent.ts';
import type { Blobs } from '../state/value.ts';
import { decideBlock } from './block.ts';
import { type CallTurns, noCallTurns } from './callTurns.ts';
import { decideSession } from './decideSession.ts';
import {
  type Decision,
  type StopReason,
  type BlockVerdict,
  type Refusals,
  DecisionInProgress,
  done,
  noDecision,
} from './decision.ts';
import { expressionFailure } from './expressionFailure.ts';
import { judgeLostCall } from './judge.ts';
import { decideUndo } from './undo.ts';

/** After this many takeovers in a row without a finished step, the run is set aside. */
const takeoversInARowMax = 3;

export const always = (): boolean => true;

export const noneRefused: Refusals = new Map();

/**
 * `shouldContinue`: as in `DecisionInputs`. `dispatchedUpTo`: calls that began after this journal position have not
 * been made yet, since their commands were not returned to the driver. Throws `BlobsNeeded` where a value must be
 * fetched first.
 */
export function decide(
  plan: Plan,
  run: Run,
  nowMs: number,
  blobs: Blobs,
  {
    dispatchedUpTo = run.seq,
    shouldContinue = always,
    refusals = noneRefused,
    callTurns = noCallTurns,
  }: {
    readonly dispatchedUpTo?: number;
    readonly shouldContinue?: () => boolean;
    readonly refusals?: Refusals;
    readonly callTurns?: CallTurns;
  } = {},
): Decision {
  if (run.status !== 'running') return noDecision;
  const d = new DecisionInProgress({
    plan,
    run,
    nowMs,
    blobs,
    dispatchedUpTo,
    shouldContinue,
    refusals,
    callTurns,
  });
  decideRun(d);
  return d;
}

function decideRun(d: DecisionInProgress): void {
  const { plan, run } = d;
  if (run.takeoversInARow >= takeoversInARowMax) return setAside(d);
  if (run.ending === undefined) {
    if (isOverdue(d))
      return stopRun(d, {
        code: 'run-timed-out',
        message: `The run took longer than ${writtenDuration(plan.timeoutMs ?? 0)}.`,
      });
    const over = overspent(d) ?? tooManyEvents(run);
    if (over !== undefined) return stopRun(d, over);
    const stop = stopOf(run);
    const verdict =
      run.session === undefined
        ? decideBlock(d, plan.steps, withAllowance(d), stop)
        : decideSession(d, run.session, stop);
    if (verdict.kind !== 'open') end(d, verdict);
    return;
  }
  if (isUndone(run.ending) && decideUndo(d) === 'open') return;
  if (run.ending.status === 'failed' && decideRoot(d, '@onFailure', plan.onFailure).kind === 'open') return;
  const last = decideRoot(d, '@finally', plan.finally);
  if (last.kind !== 'open') finish(d, last);
}

/** A world that cannot be read is no reason to change it. */
const isUndone = (ending: RunEnd): boolean => ending.status !== 'succeeded' && ending.failure.code !== notVerified;

function decideRoot(d: DecisionInProgress, root: RootFrame, block: Block | undefined): BlockVerdict {
  return block === undefined ? done : decideBlock(d, block, rootPlace(d.run, d.blobs, root), undefined);
}

function isOverdue(d: DecisionInProgress): boolean {
  const { plan, run } = d;
  if (plan.timeoutMs === undefined || run.cancel !== undefined || run.stopped !== undefined) return false;
  return d.isDue(run.startedAt + plan.timeoutMs);
}

function stopOf(run: RunningRun): StopReason {
  if (run.cancel !== undefined) return run.cancel.reason ?? cancelledMessage;
  return run.stopped?.message;
}

function stopRun(d: DecisionInProgress, failure: Failure): void {
  d.events.push({ type: 'run.stopped', at: d.nowMs, failure });
}

/** Records how the steps of the run ended: the run finishes, or undoing, `onFailure` and `finally` begin. */
function end(d: DecisionInProgress, verdict: BlockVerdict): void {
  const { plan, run } = d;
  // A stopped run does not succeed, even where its last step did.
  if (verdict.kind === 'done' && run.stopped === undefined) {
    const { failure } = outputsOf(d);
    if (failure !== undefined) d.events.push({ type: 'run.ending', at: d.nowMs, status: 'failed', failure });
    else if (plan.finally === undefined) finishAs(d, { status: 'succeeded' });
    else d.events.push({ type: 'run.ending', at: d.nowMs, status: 'succeeded' });
    return;
  }
  const failed = verdict.kind === 'failed' ? verdict.failure : undefined;
  // What a limit of its parent kept it from reading; a person who cancels has the last word.
  const isUnread = failed?.code === notVerified && run.cancel?.cause !== undefined;
  if (run.cancel !== undefined && !isUnread) {
    d.events.push({ type: 'run.ending', at: d.nowMs, status: 'cancelled', failure: cancelled(run) });
    return;
  }
  // A limit that ended the reading of the world is no reason to change it.
  const failure = failed?.code === notVerified ? failed : (run.stopped ?? failed ?? cancelled(run));
  d.events.push({ type: 'run.ending', at: d.nowMs, status: 'failed', failure });
}

const cancelled = (run: RunningRun): Failure => ({
  code: run.cancel?.cause?.code === notVerified ? notVerified : 'cancelled',
  message: stopOf(run) ?? 'The run was cancelled.',
});

/** Runs after `finally`. A failed `finally` turns a success into a failure, and changes no other end. */
function finish(d: DecisionInProgress, last: BlockVerdict): void {
  const ending = d.run.ending;
  if (ending === undefined) return;
  if (ending.status === 'succeeded' && last.kind === 'failed') finishAs(d, { status: 'failed', failure: last.failure });
  else finishAs(d, ending);
}

function finishAs(d: DecisionInProgress, end: RunEnd): void {
  const base = { type: 'run.finished', at: d.nowMs } as const;
  const { outputs } = end.status === 'succeeded' ? outputsOf(d) : {};
  d.events.push({ ...base, ...end, ...(outputs === undefined ? {} : { outputs: { json: outputs } }) });
}

/** The outputs of the run, from the last steps that ran; the run fails where they cannot be evaluated. */
function outputsOf({ plan, run, blobs }: DecisionInProgress): { outputs?: Json; failure?: Failure } {
  const { outputs } = plan;
  if (outputs === undefined) return {};
  try {
    return { outputs: outputs.evaluate(scopeAt(rootPlace(run, blobs, '@main'), outputs)) };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { failure: expressionFailure(error, '') };
  }
}

/** Of each write under way it is said that it may have happened: a retry finds that out first. */
function setAside(d: DecisionInProgress): void {
  const { plan, run, nowMs } = d;
  for (const { path, state } of callsUnderWay(run))
    if (state.call?.verb === 'tool' && state.call.effect === 'write')
      d.events.push(judgeLostCall(run, { step: stepAt(plan, run, path), state, path }, nowMs, true));
  const message = `${run.takeoversInARow} workers in a row died while driving this run. It was set aside, nothing was undone.`;
  finishAs(d, { status: 'failed', failure: { code: 'run-poisonous', message } });
}

function overspent({ plan, run }: DecisionInProgress): Failure | undefined {
  if (run.stopped !== undefined || run.cancel !== undefined) return undefined;
  const over = overBudget(smallerBudget(plan.budget, run.budget), run.spent);
  return over === undefined ? undefined : { code: 'budget-exceeded', message: `The run spent ${over}.` };
}

/** Stops a run whose journal would become too long to fold. */
function tooManyEvents({ seq, stopped, cancel }: RunningRun): Failure | undefined {
  if (stopped !== undefined || cancel !== undefined || seq < limits.run.events) return undefined;
  const message = `The run has ${seq} events; ${limits.run.events} are the most that a run may have.`;
  return { code: 'limit-exceeded', message };
}

/** The root place of the run, with what its budgets leave to spend, and the limit that ends it. */
function withAllowance({ plan, run, blobs }: DecisionInProgress): StepPlace {
  const cause = run.cancel === undefined ? run.stopped : run.cancel.cause;
  const isLimit = cause !== undefined && cause.code !== notVerified;
  const place = {
    ...rootPlace(run, blobs, '@main'),
    ...(isLimit ? { exceeded: cause } : defined({ unverified: cause })),
  };
  const budget = smallerBudget(plan.budget, run.budget);
  return budget === undefined ? place : { ...place, allowance: remainingBudget(budget, run.spent) };
}
