/**
 * A run as people read it: every step that has begun, its attempts, progress and outcome, in the order they began.
 * `evolve` keeps what decisions need; this keeps what displays need, finished items included.
 */
import type { Verb } from '@baton/language';
import type { Json } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { targetOfCall } from './calledName.ts';
import type { WaitCondition, Call, EventOf, Question, RunEvent, StepEnsures } from './event.ts';
import type { Path } from './path.ts';
import { type SaidOutcome, SaidOutcomes } from './saidOutcome.ts';
import type { SessionTarget } from './sessionTarget.ts';
import type { StepStatus } from './step.ts';
import { type UndoEnd, undoEndOf, undoneBy } from './undoEnd.ts';
import type { Value } from './value.ts';

export interface TracedAttempt {
  readonly n: number;
  status: StepStatus;
  readonly startedAt: number;
  endedAt?: number;
  failure?: Failure;
  /** The worker that made the call. */
  readonly worker: string | undefined;
  /** The server session on which the call was made; set when the attempt is over. */
  session?: string;
  /** Whose login the call used, where people have their own. */
  login?: string;
}

export interface TracedStep {
  readonly path: Path;
  readonly verb: Verb;
  /** What is called or waited for: `server/tool`, a workflow, a signal. */
  target?: string;
  status: StepStatus;
  readonly attempts: TracedAttempt[];
  /** When the outcome of a step without attempts, such as `set`, was decided. Epoch milliseconds. */
  decidedAt?: number;
  call?: Call;
  awaiting?: WaitCondition;
  /** When the next attempt of a failed step begins. Epoch milliseconds. */
  resumeAt?: number;
  value?: Value;
  failure?: Failure;
  progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  /** `forEach` and `repeat`: number of finished items or rounds, and their total where that is known. */
  finished?: number;
  total?: number;
  /** Number of items that failed. */
  failedItems?: number;
  /** The items of a `forEach`, unless they are in a blob. */
  items?: readonly Json[];
  /** The question that the server of the call asked. */
  question?: Question;
  /** Who answered, or signalled. */
  by?: string;
  /** What an `ensure` promises. */
  ensures?: StepEnsures;
  /** What a person said of its call, whose answer was lost. */
  said?: SaidOutcome;
  /** The run before made its call and lost the answer: this run has found out about it, and not called. */
  isCalledBefore?: true;
  /** The outcome is that of the run before: nothing was called. */
  isKept?: true;
  /** Set when its `undo` is over. */
  undoEnd?: UndoEnd;
}

type StepEvent = Extract<RunEvent, { readonly path: string }>;

/** Folds the events of a journal or a live stream, in order, into mutable rows. */
export class Trace {
  readonly #steps = new Map<Path, TracedStep>();
  /** Collected values of each `forEach`, by the index of the item. */
  readonly #collected = new Map<Path, Value[]>();
  /** The steps inside each `undo`, by the path of the step that is undone. */
  readonly #undoSteps = new Map<Path, TracedStep[]>();
  readonly #said = new SaidOutcomes();
  #worker: string | undefined;

  static of(events: Iterable<RunEvent>): Trace {
    const trace = new Trace();
    for (const event of events) trace.take(event);
    return trace;
  }

  get steps(): readonly TracedStep[] {
    return [...this.#steps.values()];
  }

  step(path: Path): TracedStep | undefined {
    return this.#steps.get(path);
  }

  take(event: RunEvent): void {
    if (event.type === 'run.claimed') this.#worker = event.worker;
    if (!('path' in event)) return;
    this.#takeStep(event);
    // The answer of an undo may come after the undo is over.
    const undone = this.#steps.get(undoneBy(event.path) ?? '');
    if (undone?.undoEnd !== undefined) this.#endUndo(undone);
  }

  #takeStep(event: StepEvent): void {
    const step = this.#stepAt(event);
    const said = this.#said.take(event);
    if (said !== undefined) step.said = said;
    switch (event.type) {
      case 'step.started':
        return this.#begin(step, event);
      case 'step.waiting':
        return this.#wait(step, event);
      case 'step.progressed':
        step.progress = event;
        return;
      case 'item.finished':
        // For a group the event means that its steps are over, which their own rows show.
        if (step.verb === 'steps') return;
        step.finished = (step.finished ?? 0) + 1;
        if (event.failure !== undefined) step.failedItems = (step.failedItems ?? 0) + 1;
        return this.#collect(event);
      case 'question.answered':
        step.by = event.by;
        // The question about a call of the run before is no attempt of this one.
        if (said !== undefined && step.isCalledBefore === true) step.attempts.pop();
        return;
      case 'call.requested':
        step.target = targetOf(event.target);
        return;
      case 'call.delivered':
      case 'child.started':
      case 'child.finished':
      case 'sample.answered':
        return;
      case 'question.asked':
        step.question = event.question;
        return;
      case 'step.retrying':
        step.resumeAt = event.resumeAt;
        return this.#end(step, event, 'retrying', 'failed', event.failure);
      case 'step.succeeded':
        step.value = event.verb === 'forEach' ? { list: this.#listOf(step) } : event.value;
        if (event.by !== undefined) step.by = event.by;
        return this.#end(step, event, 'succeeded', 'succeeded');
      case 'step.failed':
        step.failure = event.failure;
        return this.#end(step, event, 'failed', 'failed', event.failure);
      case 'step.unknown':
        if (event.call !== undefined) {
          noteCall(step, event.call);
          step.isCalledBefore = true;
        }
        step.failure = event.failure;
        return this.#end(step, event, 'unknown', 'unknown', event.failure);
      case 'step.cancelled':
        return this.#end(step, event, 'cancelled', 'cancelled');
      case 'step.skipped':
        step.status = 'skipped';
        step.decidedAt = event.at;
        markKept(step, event);
        return;
      case 'step.undone':
        this.#endUndo(step);
    }
  }

  #endUndo(step: TracedStep): void {
    step.undoEnd = undoEndOf(this.#undoSteps.get(step.path) ?? []);
  }

  #collect({ path, index, value }: EventOf<'item.finished'>): void {
    const known = this.#collected.get(path) ?? [];
    this.#collected.set(path, known);
    if (value !== undefined) known[index] = value;
  }

  /** The collected values in item order; null for items without a value. */
  #listOf({ path, finished = 0 }: TracedStep): Value[] {
    const known = this.#collected.get(path) ?? [];
    return Array.from({ length: finished }, (_, index) => known[index] ?? { json: null });
  }

  #stepAt(event: StepEvent): TracedStep {
    const known = this.#steps.get(event.path);
    if (known !== undefined) return known;
    const step: TracedStep = {
      path: event.path,
      verb: verbOf(event),
      status: 'pending',
      attempts: [],
    };
    this.#steps.set(event.path, step);
    const undone = undoneBy(event.path);
    if (undone !== undefined) this.#undoSteps.set(undone, [...(this.#undoSteps.get(undone) ?? []), step]);
    return step;
  }

  #begin(step: TracedStep, event: EventOf<'step.started'>): void {
    step.status = 'running';
    if (step.awaiting?.for === 'turn') delete step.awaiting;
    delete step.failure;
    delete step.isCalledBefore;
    delete step.progress;
    if (event.call !== undefined) noteCall(step, event.call);
    if (event.ensures !== undefined) {
      step.ensures = event.ensures;
      step.target = event.ensures.that;
    }
    if (event.items !== undefined && 'json' in event.items && Array.isArray(event.items.json)) {
      step.items = event.items.json;
      step.total = step.items.length;
    }
    step.attempts.push({ n: event.attempt, status: 'running', startedAt: event.at, worker: this.#worker });
  }

  #wait(step: TracedStep, event: EventOf<'step.waiting'>): void {
    step.status = 'waiting';
    step.awaiting = event.awaiting;
    // A call that waits for its turn is no attempt: one that was begun, and missed its turn, was not sent.
    if (event.awaiting.for === 'turn') {
      if (step.attempts.at(-1)?.status === 'running') step.attempts.pop();
      return;
    }
    if (event.awaiting.for === 'child') step.target = event.awaiting.workflow;
    if (event.awaiting.for === 'signal') {
      step.target = event.awaiting.name;
      // The same wait, which has tried some signals.
      if (event.awaiting.tried !== undefined) return;
    }
    step.attempts.push({ n: event.attempt, status: 'waiting', startedAt: event.at, worker: undefined });
  }

  #end(
    step: TracedStep,
    event: { readonly at: number; readonly session?: string; readonly login?: string; readonly kept?: number },
    status: StepStatus,
    attemptStatus: StepStatus,
    failure?: Failure,
  ): void {
    const { at, session, login } = event;
    step.status = status;
    markKept(step, event);
    const attempt = step.attempts.at(-1);
    if (attempt === undefined) step.decidedAt = at;
    if (attempt === undefined || attempt.endedAt !== undefined) return;
    attempt.status = attemptStatus;
    attempt.endedAt = at;
    if (failure !== undefined) attempt.failure = failure;
    if (session !== undefined) attempt.session = session;
    if (login !== undefined) attempt.login = login;
  }
}

function noteCall(step: TracedStep, call: Call): void {
  step.call = call;
  const target = targetOf(call);
  if (target !== undefined) step.target = target;
}

function markKept(step: TracedStep, { kept }: { readonly kept?: number }): void {
  if (kept === undefined) delete step.isKept;
  else step.isKept = true;
}

function verbOf(event: StepEvent): Verb {
  if (event.type === 'call.requested') return event.target.verb;
  return 'verb' in event ? event.verb : 'tool';
}

type CallTarget = Exclude<Call, { verb: 'sample' }> | SessionTarget;

function targetOf(call: CallTarget): string;
function targetOf(call: Call): string | undefined;
function targetOf(call: Call | CallTarget): string | undefined {
  return call.verb === 'resource' ? `${call.server} ${call.uri}` : targetOfCall(call);
}

/** Whether the workflow let items of a `forEach` fail. */
export const letsItemsFail = ({ steps }: Trace): boolean =>
  steps.some(({ status, failedItems = 0 }) => status === 'succeeded' && failedItems > 0);
