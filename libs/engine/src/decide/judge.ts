/**
 * Decides what the end of a call means; the only place that decides whether a call is retried.
 *
 * A `write` is repeated only when it is known not to have run, or where its server honours the idempotency key that each
 * attempt sends. Otherwise, when its outcome is unknown, the event says so, and `ifUnknown` decides (invariant I5). A
 * report about an attempt that is already over changes nothing (invariant I6).
 */
import { type Expression, EvaluationError, excerpt } from '@baton/expressions';
import type { Plan, RetryPolicy, Step } from '@baton/language';
import { type JsonObject, defined, isObject } from '@baton/primitives';

import { type Delivery, type Failure, isTransient, lostAnswer, mayHaveHappened } from '../failure.ts';
import { checkProgress } from '../state/checkFrame.ts';
import type { RunEvent, Usage } from '../state/event.ts';
import { stateAt, stepAt } from '../state/locate.ts';
import type { Path } from '../state/path.ts';
import type { Run } from '../state/run.ts';
import { nothingSpent } from '../state/spending.ts';
import { overBudget, plus, priceOf } from '../state/spent.ts';
import type { RunningStep, StepState } from '../state/step.ts';
import type { Value } from '../state/value.ts';
import { valueView } from '../state/view.ts';
import type { BegunStep } from './begunStep.ts';
import { boundedFailure } from './boundedFailure.ts';
import { linedUp, serverOf } from './callTurns.ts';
import { expressionFailure } from './expressionFailure.ts';
import { retryDelayMs } from './retry.ts';

/** How one attempt ended. */
export type AttemptReport = {
  readonly path: Path;
  readonly attempt: number;
  readonly at: number;
  /** The server session on which the call was made. */
  readonly session?: string;
  /** Whose login the call used, where people have their own. */
  readonly login?: string;
} & (
  | { readonly outcome: 'succeeded'; readonly value: Value; readonly usage?: Usage }
  | {
      readonly outcome: 'failed';
      readonly failure: Failure;
      readonly delivery: Delivery;
      readonly retryAfterMs?: number;
      readonly usage?: Usage;
      /** The call was not sent, since its turn at the server has passed: it waits for the next one. */
      readonly missedTurn?: true;
      /** The call was aborted because the run, or the block around it, is being stopped. */
      readonly aborted?: true;
    }
);

export function judge(plan: Plan, run: Run, received: AttemptReport): RunEvent[] {
  const state = stateAt(run, received.path);
  if (state === undefined || !isExpecting(state) || state.attempt !== received.attempt) return [];
  const step = stepAt(plan, run, received.path);
  const report = applyFailIf(step, received);
  if (report.outcome === 'succeeded') return [succeeded(step, state, report)];
  return state.status === 'running' ? [failed(run, step, state, report)] : failedLate(run, step, state, report);
}

/** Turns a success into a failure where the author's `failIf` says that the answer reports one. */
function applyFailIf(step: Step, report: AttemptReport): AttemptReport {
  const failIf = step.verb === 'tool' ? step.failIf : undefined;
  if (failIf === undefined || report.outcome !== 'succeeded' || !('json' in report.value)) return report;
  const { path, attempt, at, value } = report;
  const failure = failureByFailIf(step, failIf, valueView('tool', value.json));
  if (failure === undefined) return report;
  return { path, attempt, at, outcome: 'failed', failure, delivery: 'answered', ...callFields(report) };
}

/** Characters of the answer that the message repeats. */
const saidMax = 200;

function failureByFailIf(step: Step, failIf: Expression, result: JsonObject): Failure | undefined {
  try {
    if (failIf.evaluate({ result }) !== true) return undefined;
    const { content = [], text } = result;
    const said = typeof text === 'string' && text !== '' ? `: ${excerpt(text, saidMax)}` : '.';
    const message = `The tool answered what \`failIf: ${excerpt(failIf.source)}\` says is a failure${said}`;
    return { code: 'tool-failed', message, details: { at: failIf.pointer, content } };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return expressionFailure(error, step.pointer);
  }
}

const connectionOf = ({ session, login }: AttemptReport): { session?: string; login?: string } =>
  defined({ session, login });

/** The event fields that describe the call: its session and what it cost. */
const callFields = (report: AttemptReport): { session?: string; login?: string; usage?: Usage } => ({
  ...connectionOf(report),
  ...(report.usage === undefined ? {} : { usage: report.usage }),
});

function succeeded(step: Step, state: StepState, report: Extract<AttemptReport, { outcome: 'succeeded' }>): RunEvent {
  const { path, attempt, at, value, usage } = report;
  const base = { at, path, attempt, verb: state.verb, ...callFields(report) };
  const over = usage && overBudget(step.budget, plus(state.spent ?? nothingSpent, priceOf(usage)));
  if (over !== undefined) {
    const failure: Failure = { code: 'budget-exceeded', message: `The step ${step.key} spent ${over}.`, step: path };
    return { type: 'step.failed', ...base, failure };
  }
  return { type: 'step.succeeded', ...base, value, ...(step.undo === undefined ? {} : { undoable: true as const }) };
}

/** A late report that knows the outcome replaces `unknown`; one that does not changes nothing. */
function failedLate(run: Run, step: Step, state: StepState, report: FailedReport): RunEvent[] {
  if (report.delivery === 'unknown' || report.aborted !== undefined) return [];
  const event = failed(run, step, { verb: state.verb, call: undefined }, report);
  if (isBeingClarified(state)) return [event];
  // The run has already continued after this failure: the step stays failed, and is not retried.
  if (step.onError !== 'fail' || !('failure' in event) || event.failure === undefined) return [];
  const { path, attempt, at } = report;
  return [{ type: 'step.failed', at, path, verb: state.verb, attempt, failure: event.failure }];
}

/** A person was asked whether the call happened, or its `check` is running. */
function isBeingClarified(state: StepState): boolean {
  return state.status === 'waiting' || checkProgress(state) === 'open';
}

/** The step waits for the end of its call; or the outcome is recorded as unknown and nothing followed yet. */
function isExpecting(state: StepState): boolean {
  if (state.status === 'waiting')
    return state.awaiting.for === 'answer' && state.verb === 'tool' && state.arrived === undefined;
  // A handler may already be undoing what the failure reported.
  return state.status === 'running' || (state.status === 'unknown' && !state.frames.has('@onError'));
}

/**
 * The worker of the call is gone: no report will come, and how far the call got is unknown. `isLast`: the run ends, so
 * that nothing sends a keyed call again with its key.
 */
export function judgeLostCall(
  run: Run,
  { step, state, path }: Pick<BegunStep<Step, RunningStep>, 'step' | 'state' | 'path'>,
  at: number,
  isLast = false,
): RunEvent {
  const failure: Failure = {
    code: 'worker-lost',
    message: 'The worker died while the call was in flight.',
    step: path,
  };
  const report = { path, attempt: state.attempt, at, outcome: 'failed', failure, delivery: 'unknown' } as const;
  return failed(run, step, state, report, !isLast);
}

/** Postgres has lost a time in which the same call may have been made: it was not sent now. */
export function judgeRewoundCall(
  run: Run,
  { step, state, path }: Pick<BegunStep<Step, RunningStep>, 'step' | 'state' | 'path'>,
  at: number,
): RunEvent {
  const { from = 0, to = 0, isOfAnotherRun = false } = run.rewind ?? {};
  const when = `between ${new Date(from).toISOString()} and ${new Date(to).toISOString()}`;
  const message = `Postgres has lost what was done ${when}.`;
  const failure: Failure = { code: 'worker-lost', message, step: path };
  // A lost child run had another id, and so other keys.
  const report = { path, attempt: state.attempt, at, outcome: 'failed', failure, delivery: 'unknown' } as const;
  const event = failed(run, step, state, report, !isOfAnotherRun);
  if (event.type !== 'step.unknown') return event;
  const told = `The call to ${targetOf(state)} may have been made ${when}, in a time that Postgres has lost. Find out at the server before it is done again.`;
  return { ...event, failure: { ...event.failure, message: told } };
}

type FailedReport = Extract<AttemptReport, { outcome: 'failed' }>;

type CallMade = Pick<RunningStep, 'verb' | 'call'>;

/** `isSameKey`: the key of a keyed call is that of the call that may have been made. */
function failed(run: Run, step: Step, state: CallMade, report: FailedReport, isSameKey = true): RunEvent {
  const { path, attempt, at, delivery, retryAfterMs } = report;
  const missed = report.missedTurn === true && report.aborted === undefined && state.call && serverOf(state.call);
  if (missed) return { ...linedUp({ at, path, verb: state.verb, attempt }, missed), missedTurn: true };
  const fields = callFields(report);
  const failure: Failure = { ...boundedFailure(report.failure), step: report.failure.step ?? path };
  // Only a `write` may still be reported late.
  const isWrite = state.call === undefined || (state.call.verb === 'tool' && state.call.effect === 'write');
  // The server executes it once per key, so it may be sent again, but not after a stop was requested.
  const isKeyed =
    isSameKey && state.call?.verb === 'tool' && state.call.isKeyed === true && report.aborted === undefined;
  const isRetried = mayTryAgain(step.retry, { attempt, failure, delivery, isWrite });
  const mayRepeat = isKeyed && isRetried;
  if (isWrite && delivery === 'unknown' && !mayRepeat)
    return {
      type: 'step.unknown',
      at,
      path,
      attempt,
      ...connectionOf(report),
      failure: unknownOutcome(failure, state),
    };
  if (report.aborted) return { type: 'step.cancelled', at, path, attempt, reason: failure.message };
  if (isRetried) {
    const resumeAt = at + retryDelayMs(step.retry, attempt, `${run.id}/${path}`, retryAfterMs);
    return { type: 'step.retrying', at, path, attempt, ...fields, failure, delivery, resumeAt };
  }
  return { type: 'step.failed', at, path, verb: state.verb, attempt, ...fields, failure };
}

interface FailedAttempt {
  readonly attempt: number;
  readonly failure: Failure;
  readonly delivery: Delivery;
  readonly isWrite: boolean;
}

function mayTryAgain(policy: RetryPolicy, { attempt, failure, delivery, isWrite }: FailedAttempt): boolean {
  if (!isRetryable(policy, failure.code)) return false;
  if (isWrite && delivery === 'answered') return false;
  // The death of a worker says nothing about the call, so it does not use up the author's attempts.
  return failure.code === 'worker-lost' || attempt < policy.attempts;
}

/** Follows `retry.on`, or else the failure table. The death of a worker says nothing about the call. */
function isRetryable({ on, alsoToolFailed }: RetryPolicy, code: string): boolean {
  if (code === 'worker-lost') return true;
  if (on !== undefined) return on.includes(code);
  return isTransient(code) || (alsoToolFailed === true && code === 'tool-failed');
}

const targetOf = ({ call, verb }: CallMade): string => (call?.verb === 'tool' ? `${call.server}/${call.tool}` : verb);

/** What a person has to do comes first: lists cut the message. `lost` says how the answer was lost. */
export function unknownOutcome({ code, message, details, ...failure }: Failure, state: CallMade): Failure {
  const lost = { code, message };
  return {
    // First in the text of the event, where the store looks for it.
    code: 'outcome-unknown',
    message: `The call to ${targetOf(state)} ${mayHaveHappened}: find out at the server before it is done again. ${lostAnswer(lost)}`,
    ...failure,
    details: { ...(isObject(details) ? details : {}), lost },
  };
}
