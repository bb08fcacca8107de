/** Decides waiting steps, which hold no worker: whether their wait is over, and with which outcome. */
import { EvaluationError, excerpt } from '@baton/expressions';
import type { Step } from '@baton/language';
import { type Json, defined, durationText, writtenDuration } from '@baton/primitives';

import { type Failure, type FailureCode, notVerified, sentenceOf } from '../failure.ts';
import type { CancelCause, WaitCondition, Usage } from '../state/event.ts';
import type { Signal } from '../state/run.ts';
import { overBudget, priceOf } from '../state/spent.ts';
import type { ArrivedResult, WaitingStep } from '../state/step.ts';
import type { Value } from '../state/value.ts';
import { beginStep } from './begin.ts';
import type { BegunStep } from './begunStep.ts';
import { type CallTurn, clientTurnMs, loginLookMs, loginMaxMs, pacedNameOf, shortTurnMs } from './callTurns.ts';
import { cancel } from './cancel.ts';
import type { DecisionInProgress, StopReason } from './decision.ts';
import { saidAnswer } from './unknown.ts';

type Waiting = BegunStep<Step, WaitingStep>;

export function decideWaiting(d: DecisionInProgress, begun: Waiting): void {
  const { state, path, stop } = begun;
  const { awaiting, arrived } = state;
  if (arrived !== undefined) return settleArrived(d, begun, arrived);
  if (awaiting.for === 'child') {
    const { attempt } = state;
    const late = overdue(d, begun);
    const reason = stop ?? late;
    const cause = causeOf(begun, late);
    d.perform.push(
      reason === undefined
        ? { kind: 'child', path, attempt, awaiting }
        : { kind: 'cancelChild', path, attempt, reason, ...defined({ cause }) },
    );
    return;
  }
  if (stop !== undefined) return cancel(d, begun, stop);
  if (awaiting.for === 'time') {
    if (d.isDue(awaiting.until)) succeed(d, begun, { json: null });
  } else if (awaiting.for === 'turn') decideTurn(d, begun, awaiting);
  else if (awaiting.for === 'signal') decideSignal(d, begun, awaiting);
  else if (awaiting.for === 'sample') {
    if (awaiting.expiresAt !== undefined && d.isDue(awaiting.expiresAt)) {
      fail(d, begun, 'timeout', 'The calling client’s model did not answer in time.');
    }
  } else decideQuestion(d, begun, awaiting);
}

/** Begins the call when its turn at the server has come. Each turn that comes later than soon is an event. */
function decideTurn(
  d: DecisionInProgress,
  begun: Waiting,
  { server, until, isAway, login, since = d.nowMs }: Extract<WaitCondition, { for: 'turn' }>,
): void {
  const { step, state, place, path } = begun;
  const { attempt, verb } = state;
  if (until !== undefined && !d.isDue(until)) return;
  d.timeDependencies += 1;
  const turn = d.callTurns.of(path, attempt);
  if (turn === undefined) {
    const had = isAway === true || login !== undefined ? undefined : until;
    const withinMs = d.run.session === undefined ? undefined : clientTurnMs;
    d.perform.push({ kind: 'turn', path, attempt, server, name: pacedNameOf(step), ...defined({ had, withinMs }) });
  } else if (turn.kind === 'tooFar') failTooFar(d, begun, server, turn.waitMs);
  // Without the login, the call fails: it says who has to log in. A client that waits is told at once.
  else if (turn.kind === 'login' && (d.run.session !== undefined || d.nowMs - since >= loginMaxMs))
    beginStep(d, step, place, attempt, true);
  else if (turn.kind === 'at' && turn.at <= d.nowMs) beginStep(d, step, place, attempt, true);
  else if (turn.kind === 'at' && turn.at - d.nowMs <= shortTurnMs) d.isDue(turn.at);
  else {
    const next = turn.kind === 'login' ? untilLogin(d.nowMs, since, turn.who) : untilTurn(d.nowMs, turn);
    d.events.push({
      type: 'step.waiting',
      at: d.nowMs,
      path,
      verb,
      attempt,
      awaiting: { for: 'turn', server, ...next },
    });
  }
}

const untilLogin = (nowMs: number, since: number, login: string) => ({
  until: nowMs + loginLookMs(nowMs - since),
  login,
  since,
});

const untilTurn = (nowMs: number, { kind, at }: Extract<CallTurn, { at: number }>) => ({
  until: Math.max(at, nowMs + 1),
  ...(kind === 'away' ? { isAway: true as const } : {}),
});

function failTooFar(d: DecisionInProgress, begun: Waiting, server: string, waitMs: number): void {
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `The server "${server}" takes calls at a rate, and the turn of this one comes in ${durationText(seconds * 1_000)}. Nothing was sent.`;
  const details = { retryAfterMs: seconds * 1_000 };
  failWith(d, begun, { code: 'server-overloaded', message, details, step: begun.path });
}

/** What the child must know: that a limit ends it, or that nothing is to be undone. */
function causeOf({ place: { exceeded, unverified }, stop }: Waiting, late: StopReason): CancelCause | undefined {
  const failure = exceeded ?? unverified;
  if (failure !== undefined) return { code: failure.code, message: failure.message };
  return stop === undefined && late !== undefined ? { code: 'step-timed-out', message: sentence(late) } : undefined;
}

/** The reason to cancel a child run that exceeds its step's `timeout`; undefined: it does not. */
function overdue(d: DecisionInProgress, { step, state }: Waiting): StopReason {
  const { totalMs } = step.timeout;
  const isOverdue = totalMs !== undefined && d.isDue(state.startedAt + totalMs);
  return isOverdue ? `the step ${step.key} took longer than ${writtenDuration(totalMs)}` : undefined;
}

type WaitingOutcome = { by?: string; signal?: number; usage?: Usage };

function succeed(
  d: DecisionInProgress,
  { step, state: { verb, attempt }, path }: Waiting,
  value: Value,
  extra: WaitingOutcome = {},
): void {
  const undoable = step.undo === undefined ? {} : { undoable: true as const };
  d.events.push({ type: 'step.succeeded', at: d.nowMs, path, verb, attempt, value, ...extra, ...undoable });
}

function fail(d: DecisionInProgress, begun: Waiting, code: FailureCode, message: string): void {
  failWith(d, begun, { code, message, step: begun.path });
}

function failWith(
  d: DecisionInProgress,
  { state, path }: Waiting,
  failure: Failure,
  cost: { usage?: Usage } = {},
): void {
  d.events.push({ type: 'step.failed', at: d.nowMs, path, verb: state.verb, attempt: state.attempt, failure, ...cost });
}

function decideSignal(
  d: DecisionInProgress,
  begun: Waiting,
  awaiting: Extract<WaitCondition, { for: 'signal' }>,
): void {
  const { signalSearch } = d;
  d.timeDependencies += 1;
  // The wait at which a search becomes full always has an event, so the next decision goes on behind it.
  if (signalSearch.isFull || d.isEnough()) return;
  const signals = d.run.signals.filter(({ name }) => name === awaiting.name);
  const fits = signalSearch.matcherOf(begun);
  let { tried = 0 } = awaiting;
  for (const signal of signals) {
    if (signal.seq <= tried) continue;
    if (fits(signal) === true)
      return succeed(d, begun, { json: signal.payload }, { by: signal.by, signal: signal.seq });
    tried = signal.seq;
    if (signalSearch.isFull) break;
  }
  const isOver = !signalSearch.isFull && awaiting.expiresAt !== undefined && d.isDue(awaiting.expiresAt);
  if (isOver) {
    const why = unfitting(fits, signals);
    return fail(d, begun, 'wait-expired', `No signal "${awaiting.name}" came in time${why}.`);
  }
  if (tried > (awaiting.tried ?? 0)) signalSearch.note(begun, { ...awaiting, tried });
  if (signalSearch.isFull) d.events.push(...signalSearch.progress(d.nowMs));
}

/** Why the last of those that came was not taken. */
function unfitting(fits: (signal: Signal) => unknown, signals: readonly Signal[]): string {
  const last = signals.at(-1);
  if (last === undefined) return '';
  const answer = fits(last);
  const why =
    answer instanceof EvaluationError ? `match: ${excerpt(answer.message).replace(/\.$/, '')}` : 'it does not match';
  return ` that fits; of ${signals.length} that came, the last was not taken: ${why}`;
}

function decideQuestion(
  d: DecisionInProgress,
  begun: Waiting,
  { question }: Extract<WaitCondition, { for: 'answer' }>,
): void {
  if (question.expiresAt === undefined || !d.isDue(question.expiresAt)) return;
  if (question.onExpire !== undefined) succeed(d, begun, { json: question.onExpire }, { by: 'expiry' });
  else fail(d, begun, 'question-expired', 'The question got no answer in time.');
}

function settleArrived(d: DecisionInProgress, begun: Waiting, arrived: ArrivedResult): void {
  const { state, place, stop } = begun;
  if (arrived.kind === 'answer') return settleAnswer(d, begun, arrived);
  if (arrived.kind === 'sample') return settleSample(d, begun, arrived);
  if (arrived.status === 'succeeded') {
    return succeed(d, begun, arrived.outputs ?? { json: null }, { by: arrived.runId });
  }
  if (arrived.status === 'cancelled' && stop !== undefined) {
    return cancel(d, begun, 'the child run was cancelled');
  }
  const late = arrived.status === 'cancelled' ? overdue(d, begun) : undefined;
  if (late !== undefined) return fail(d, begun, 'step-timed-out', sentence(late));
  const { failure } = arrived;
  if (state.awaiting.for === 'child' && state.awaiting.item === true && failure !== undefined) {
    // Reports the failure as if the item had run here: at its own step.
    const at = failure.step === undefined ? {} : { step: place.prefix + failure.step };
    return failWith(d, begun, { ...failure, ...at });
  }
  // Empty where the child run was never created.
  const which = arrived.runId === '' ? '' : ` ${arrived.runId}`;
  const what = `the child run${which} ${arrived.status === 'cancelled' ? 'was cancelled' : 'failed'}`;
  const code = failure?.code === notVerified ? notVerified : 'child-failed';
  fail(d, begun, code, failure === undefined ? sentence(what) : rootFirst(failure, what));
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const isOfChild = (code: string, message: string): boolean =>
  code === 'child-failed' || (code === notVerified && message.includes(' By way of: '));

/** Names the original failure first, then the runs it came through. */
function rootFirst({ code, message }: Failure, what: string): string {
  // This code is also that of the step, so it is not repeated.
  const named = code === notVerified ? message : `${code}: ${message}`;
  if (!isOfChild(code, message)) return `${sentenceOf(named)} By way of: ${what}.`;
  const [root = '', way] = message.split(' By way of: ');
  return way === undefined ? `${root} By way of: ${what}.` : `${root} By way of: ${way.replace(/\.$/, '')}, ${what}.`;
}

/** The caller's model is paid by the caller; its cost counts where the caller reports it. */
function settleSample(
  d: DecisionInProgress,
  begun: Waiting,
  { value, failure, usage, by }: Extract<ArrivedResult, { kind: 'sample' }>,
): void {
  const { step, path } = begun;
  const cost = usage === undefined ? {} : { usage };
  const over = usage && overBudget(step.budget, priceOf(usage));
  if (over !== undefined) {
    const message = `The step ${step.key} spent ${over}.`;
    return failWith(d, begun, { code: 'budget-exceeded', message, step: path }, cost);
  }
  if (value !== undefined) return succeed(d, begun, value, { by, ...cost });
  const why = failure ?? { code: 'model-failed', message: 'The calling client’s model did not answer.' };
  failWith(d, begun, { ...why, step: path }, cost);
}

/** An answer to `ask`; or, for a call with unknown outcome, whether it happened. */
function settleAnswer(
  d: DecisionInProgress,
  begun: Waiting,
  { answer, by }: Extract<ArrivedResult, { kind: 'answer' }>,
): void {
  const { step, state, place, stop } = begun;
  if (step.verb !== 'tool') return succeed(d, begun, answer, { by });
  const confirmation = 'json' in answer ? (answer.json as { happened?: boolean; output?: Json }) : {};
  if (confirmation.happened === true) {
    return succeed(d, begun, saidAnswer(confirmation.output), { by });
  }
  if (stop === undefined) beginStep(d, step, place, state.attempt + 1);
  else cancel(d, begun, stop);
}
