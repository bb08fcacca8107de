/**
 * Selects the outcomes of a finished run that a rerun starts with, so that nothing is done again needlessly (invariant
 * I6). Pure: from a journal to the first events of the new run.
 *
 * Steps run top to bottom, so each block keeps the outcomes before its first unsuccessful step and none after it; in a
 * `parallel`, a `forEach` and a `repeat` each child, item and round is examined on its own. Where the first unsuccessful
 * step had a child run, the child of the new run goes on from it in the same way. Undone outcomes are not kept.
 * Handlers, undos and checks run again where they are needed.
 */
import type { Block, GroupStep, ParallelStep, Plan, Step, Verb } from '@baton/language';

import type { DefinitionPart } from '../state/definitionPart.ts';
import { bodyOf } from '../state/distribute.ts';
import { ensureFrame, isOfRun } from '../state/ensure.ts';
import type { EventOf, RunEvent, ToldOutcome } from '../state/event.ts';
import { replay } from '../state/evolve.ts';
import { handlerOf } from '../state/locate.ts';
import { type Path, framePrefix } from '../state/path.ts';
import { stateOfRerun } from '../state/runState.ts';
import {
  type LostCall,
  type Lookup,
  answeredInRerun,
  isSameInRerun,
  lookupOf,
  lookupsIn,
  lostCallOf,
  toldBelow,
  toldOf,
  unknownInRerun,
} from './lookup.ts';
import type { OpenCall } from './openCalls.ts';
import { OverSteps } from './overSteps.ts';
import { type PastStep, type StepEndEvent, PastSteps } from './pastSteps.ts';
import { isCompensation } from './repeatedCalls.ts';

export interface CarriedOutcomes {
  /** The events after `run.requested` in the new run's journal. */
  readonly events: readonly RunEvent[];
  /** Steps of the old run that the new run's version does not have. */
  readonly unmatched: readonly Path[];
  /** Whether the new run executes the step of the old one again, if it reaches it. False for undos, checks, handlers. */
  readonly isRepeated: (path: Path) => boolean;
  /** Steps that are kept because their undo failed: what they did is still there. */
  readonly notUndone: readonly Path[];
  /** How the new run finds out whether the call at this path happened, before it makes it again. */
  readonly lookups: ReadonlyMap<Path, Lookup>;
  /** Calls whose answers were lost, and of which a person may say whether they happened. */
  readonly lost: ReadonlySet<Path>;
  /** The first calls that the new run makes, where the versions were compared, with their arguments. */
  readonly nextCalls: readonly OpenCall[];
  /** Child runs of the old run from which those of the new run go on. */
  readonly keptChildren: readonly KeptChildRun[];
}

export interface KeptChildRun {
  readonly kept: EventOf<'child.kept'>;
  /** What the new child run executes, if it is an item of a `forEach` of another version. */
  readonly part?: DefinitionPart;
}

/** The last child run that the step at each path has requested. */
export type ChildIds = ReadonlyMap<Path, string>;

export interface CarryOptions {
  /** When the new run is requested. */
  readonly at: number;
  /** This step and all steps after it run again, even where they succeeded. */
  readonly from?: Path | undefined;
  /**
   * Questions are asked again: a person's answer holds for the inputs it was given for, and for one run of what follows.
   * Child runs may have asked, and go on without their answers.
   */
  readonly asksAgain?: boolean | undefined;
  /** The inputs are others, so what child runs did with theirs is not kept if questions are asked again. */
  readonly hasNewInputs?: boolean | undefined;
  /** Items that failed run again although the workflow let them pass, and so does what came after them. */
  readonly repeatsFailedItems?: boolean | undefined;
  /** The last child run that the step at each path has requested, in the old run or in those before it. */
  readonly children?: ChildIds | undefined;
  /** What a person says of calls whose answers were lost: nothing else finds that out. */
  readonly told?: readonly ToldOutcome[] | undefined;
}

export function carryOutcomes(plan: Plan, journal: readonly RunEvent[], options: CarryOptions): CarriedOutcomes {
  const { at } = options;
  const selection = new OutcomeSelection(journal, options);
  selection.block(plan.steps, '');
  const selected = selection.kept.toSorted((a, b) => a - b).flatMap((index) => selection.carriedEvents(index, at));
  const over = new OverSteps(plan, replay('', [...journal.slice(0, 1), ...selected]), selected);
  // Nothing looks for a call that lost a race, or whose item may fail.
  const events = selected.filter((event) => !isOfLostCall(event) || !over.has(event.path));
  const kept = selection.keptChildren.filter(({ step }) => !over.has(step));
  return {
    events: [...events, ...kept],
    unmatched: [],
    isRepeated: (path) => !isCompensation(path) && !over.has(path),
    notUndone: notUndoneIn(selection.past, events),
    lookups: lookupsIn(events, (path) => selection.lookups.get(path)),
    lost: selection.lost,
    nextCalls: [],
    keptChildren: kept.map((event) => ({ kept: event })),
  };
}

/** Whether the new run begins with the event only to find out what became of a call. */
const isOfLostCall = (event: RunEvent): event is EventOf<'step.unknown' | 'step.waiting' | 'question.answered'> =>
  event.type === 'step.unknown' || event.type === 'step.waiting' || event.type === 'question.answered';

/** The new run sees the state that the old one, with this journal, saw. */
export const withStateSeen = (
  carried: CarriedOutcomes,
  journal: readonly RunEvent[],
  runId: string,
  at: number,
): CarriedOutcomes => ({ ...carried, events: [...stateOfRerun(journal, runId, at), ...carried.events] });

/** What a run keeps that starts from the beginning. */
export const nothingCarried: CarriedOutcomes = {
  events: [],
  unmatched: [],
  isRepeated: (path) => !isCompensation(path),
  notUndone: [],
  lookups: new Map(),
  lost: new Set(),
  nextCalls: [],
  keptChildren: [],
};

export const notUndoneIn = (past: PastSteps, events: readonly RunEvent[]): readonly Path[] =>
  events.flatMap((event) =>
    event.type === 'step.succeeded' && past.undoEnd(event.path) !== undefined ? [event.path] : [],
  );

/** Paths of the steps that have begun, in the order in which they began. */
export function startedPaths(journal: readonly RunEvent[]): readonly Path[] {
  return [...new Set(journal.flatMap((event) => ('path' in event ? [event.path] : [])))];
}

class OutcomeSelection {
  /** Positions of the events that are kept, in the order they were found. */
  readonly kept: number[] = [];
  readonly past: PastSteps;
  readonly #journal: readonly RunEvent[];
  /** Calls that are looked up, by the position of the event that says that their answers were lost. */
  readonly #lost = new Map<number, LostCall>();
  readonly lookups = new Map<Path, Lookup>();
  readonly lost = new Set<Path>();
  readonly #told = new Map<Path, ToldOutcome>();
  /** Verbs of calls with unknown outcome, whose last event does not name the verb. */
  readonly #verbs = new Map<number, Verb>();
  /** Incomplete items below the last kept one, by the position at which their `forEach` began. */
  readonly #reopened = new Map<number, readonly number[]>();
  readonly #options: CarryOptions;
  /** The child runs that the new run goes on from. */
  readonly keptChildren: EventOf<'child.kept'>[] = [];

  constructor(journal: readonly RunEvent[], options: CarryOptions) {
    this.#journal = journal;
    this.#options = options;
    this.past = new PastSteps(journal);
  }

  /** True where the block ended, and all of it is kept. */
  block({ steps }: Block, prefix: string): boolean {
    return steps.every((step) => this.#step(step, prefix));
  }

  /** The event as the new journal holds it, with what a person said of it. */
  carriedEvents(index: number, at: number): readonly RunEvent[] {
    const event = this.#journal[index] as RunEvent;
    const lost = this.#lost.get(index);
    if (lost === undefined || !('path' in event)) return [this.#carriedEvent(event, index, at)];
    const told = this.#told.get(event.path);
    const unknown = unknownInRerun(event, lost);
    return [unknown, ...(told === undefined ? [] : answeredInRerun(at, unknown, told))];
  }

  #carriedEvent(event: RunEvent, index: number, at: number): RunEvent {
    // An event counts as old if its outcome is; who answered, for example, does not change.
    const kept = index + 1;
    switch (event.type) {
      case 'step.succeeded': {
        const { usage: _usage, signal: _signal, ...rest } = event;
        return { ...rest, kept };
      }
      case 'step.unknown': {
        const { path, attempt, failure } = event;
        const verb = this.#verbs.get(index) ?? 'tool';
        return { type: 'step.failed', at: event.at, path, verb, attempt, failure, kept };
      }
      case 'step.failed': {
        const { usage: _usage, ...rest } = event;
        return { ...rest, kept };
      }
      case 'step.skipped':
        return { ...event, kept };
      case 'step.started': {
        const { reopened: _reopened, ...rest } = event;
        const reopened = this.#reopened.get(index);
        return { ...rest, at, ...(reopened === undefined ? {} : { reopened }) };
      }
      default:
        return { ...event, at };
    }
  }

  /** True where the step ended well, and all of it is kept. */
  #step(step: Step, prefix: string): boolean {
    const path = prefix + step.key;
    if (path === this.#options.from || this.past.undone.has(path)) return false;
    // What was true at the end of the old run may no longer be.
    if (step.verb === 'ensure' && isOfRun(path)) return false;
    const isKept = this.#isKept(step, path, prefix);
    if (!isKept && step.verb === 'workflow') this.#goOn(path);
    if (!isKept) this.#lookUp(step, path);
    return isKept;
  }

  /** The new run begins with what the old one did not find out: the engine does with it what `ifUnknown` says. */
  #lookUp(step: Step, path: Path): void {
    const past = this.past.get(path);
    const lost = past && lostCallOf(past);
    // With other inputs it may be another call.
    if (lost === undefined || this.#options.hasNewInputs === true) return;
    if (step.verb === 'tool') this.lost.add(path);
    const told = toldOf(step, path, this.#options.told);
    const lookup = lookupOf(step, isSameInRerun, told);
    if (lookup === undefined) return;
    if (told !== undefined) this.#told.set(path, told);
    this.#lost.set(lost.at, lost);
    this.lookups.set(path, lookup);
    this.kept.push(lost.at);
  }

  /** The child of the new run begins with the outcomes of the old one. */
  #goOn(path: Path): void {
    const { at, children, asksAgain = false, hasNewInputs = false, told } = this.#options;
    const runId = children?.get(path);
    if (runId === undefined || (asksAgain && hasNewInputs)) return;
    const more = { ...(asksAgain && { asksAgain }), ...toldBelow(path, told) };
    this.keptChildren.push({ type: 'child.kept', at, step: path, runId, ...more });
  }

  #isKept(step: Step, path: Path, prefix: string): boolean {
    const { asksAgain = false, hasNewInputs = false } = this.#options;
    const past = this.past.get(path);
    if (past === undefined || (asksAgain && mayHaveAsked(step, hasNewInputs))) return false;
    const ended = past.ended === undefined ? undefined : (this.#journal[past.ended] as StepEndEvent);
    const isWhole = past.started === undefined || this.#inside(step, path, prefix, past);
    if (ended === undefined || past.ended === undefined) return false;
    const isDone =
      ended.type === 'step.succeeded' || ended.type === 'step.skipped' ? isWhole : this.#isHandled(step, path, ended);
    if (!isDone) return false;
    this.#verbs.set(past.ended, step.verb);
    this.kept.push(past.ended);
    return ended.type !== 'step.succeeded' || this.#isEnsured(step, path);
  }

  /** A step whose `ensure` did not come true has its outcome all the same: only its `ensure` runs again. */
  #isEnsured(step: Step, path: Path): boolean {
    if (step.ensure === undefined) return true;
    const prefix = framePrefix(path, ensureFrame);
    const before = this.kept.length;
    if (this.block(step.ensure, prefix)) return true;
    this.kept.length = before;
    const failed = step.ensure.steps
      .map(({ key }) => this.past.get(prefix + key)?.ended)
      .map((ended) => (ended === undefined ? undefined : this.#journal[ended]))
      .find((event) => event?.type === 'step.failed');
    return failed?.type === 'step.failed' && this.#isHandled(step, path, failed);
  }

  /** Whether the workflow ignored the failure, or its handler ran to its end; then the handler is kept too. */
  #isHandled(step: Step, path: Path, ended: EventOf<'step.failed'> | EventOf<'step.unknown'>): boolean {
    if (step.onError === 'ignore') return true;
    const handler = handlerOf(step, ended.failure.code);
    if (handler === undefined) return false;
    const [before, childrenBefore] = [this.kept.length, this.keptChildren.length];
    if (this.block(handler, framePrefix(path, '@onError'))) {
      const past = this.past.get(path);
      if (step.verb === 'steps' && past !== undefined) this.#cleanedUp(step, path, past);
      return true;
    }
    // The step runs again and may succeed, so the state of its handler is not carried over.
    this.kept.length = before;
    this.keptChildren.length = childrenBefore;
    return false;
  }

  /** Examines the inside of a step that has begun. True for a step without an inside. */
  #inside(step: Step, path: Path, prefix: string, past: PastStep): boolean {
    switch (step.verb) {
      case 'switch': {
        this.#begin(past);
        const begun = past.started === undefined ? undefined : this.#journal[past.started];
        const chosen = begun?.type === 'step.started' ? step.cases[begun.case ?? 0] : undefined;
        return chosen === undefined || this.block(chosen.block, prefix);
      }
      case 'parallel':
        this.#begin(past);
        return this.#children(step, prefix);
      case 'steps':
        this.#begin(past);
        return this.block(step.body, prefix) && this.#cleanedUp(step, path, past);
      case 'forEach':
        this.#begin(past);
        return this.#items(bodyOf(step), path, past);
      case 'repeat':
        this.#begin(past);
        return this.#rounds(step.body, path, past);
      case 'ensure':
        this.#begin(past);
        return true;
      case 'tool':
      case 'prompt':
      case 'resource':
      case 'sample':
      case 'ask':
      case 'wait':
      case 'set':
      case 'state':
      case 'workflow':
      case 'fail':
        return true;
    }
  }

  #begin({ started }: PastStep): void {
    if (started !== undefined) this.kept.push(started);
  }

  /** A child is kept only together with all that it needs. */
  #children({ steps, until }: ParallelStep, prefix: string): boolean {
    const done = new Map<string, boolean>();
    const isDone = (step: Step): boolean => {
      const known = done.get(step.key);
      if (known !== undefined) return known;
      done.set(step.key, false);
      const isReady = step.needs.every((key) => steps.some((other) => other.key === key && isDone(other)));
      const is = isReady && this.#step(step, prefix);
      done.set(step.key, is);
      return is;
    };
    const ends = steps.map(isDone);
    return until === 'first' ? isDone(this.#firstOf(steps, prefix)) : ends.every(Boolean);
  }

  /** The step of a race that succeeded first, with what it ensures. */
  #firstOf(steps: readonly Step[], prefix: string): Step {
    const endOf = (step: Step): number => this.#wonAt(step, prefix + step.key);
    return steps.reduce((first, step) => (endOf(step) < endOf(first) ? step : first));
  }

  /** The position at which the step had done its work and was ensured; `Infinity`: never. */
  #wonAt({ ensure }: Step, path: Path): number {
    const inside = ensure?.steps.map(({ key }) => framePrefix(path, ensureFrame) + key) ?? [];
    const ends = [path, ...inside].map((one) => this.past.get(one)?.ended ?? Infinity);
    return ends.every((end) => this.#journal[end]?.type === 'step.succeeded') ? Math.max(...ends) : Infinity;
  }

  /** Keeps what a group's `finally` did. True where the group has none, or all of it is kept. */
  #cleanedUp({ finally: last }: GroupStep, path: Path, { items }: PastStep): boolean {
    if (last === undefined) return true;
    const over = items.get(0);
    if (over === undefined) return false;
    this.kept.push(over);
    return this.block(last, framePrefix(path, '@finally'));
  }

  #items(body: Block, path: Path, { started, ended, items }: PastStep): boolean {
    const hasPassed = ended !== undefined && this.#journal[ended]?.type === 'step.succeeded';
    const isOver = hasPassed && this.#options.repeatsFailedItems !== true;
    const count = Math.max(-1, ...(this.past.framesOf(path) ?? []), ...items.keys()) + 1;
    const empty: number[] = [];
    let isWhole = true;
    let last = -1;
    for (let index = 0; index < count; index += 1) {
      const before = this.kept.length;
      const isItemWhole = this.block(body, framePrefix(path, index));
      const finished = items.get(index);
      const event = finished === undefined ? undefined : (this.#journal[finished] as EventOf<'item.finished'>);
      // Where the workflow tolerated a failed item, it is an outcome like others.
      const isTolerated = isOver && !this.#isTouched(path, index);
      const isCarried = event !== undefined && (event.failure === undefined ? isItemWhole : isTolerated);
      if (isCarried && finished !== undefined) this.kept.push(finished);
      if (this.kept.length > before) last = index;
      else empty.push(index);
      isWhole &&= isCarried;
    }
    const reopened = empty.filter((index) => index < last);
    if (started !== undefined && reopened.length > 0) this.#reopened.set(started, reopened);
    return isWhole;
  }

  #rounds(body: Block, path: Path, { items }: PastStep): boolean {
    for (let index = 0; ; index += 1) {
      const finished = items.get(index);
      const isBegun = this.past.framesOf(path)?.has(index) ?? false;
      if (finished === undefined && !isBegun) return true;
      if (!this.block(body, framePrefix(path, index)) || finished === undefined) return false;
      this.kept.push(finished);
    }
  }

  /** Whether something in the item was undone, or will be done again. */
  #isTouched(path: Path, index: number): boolean {
    const prefix = framePrefix(path, index);
    return (this.#options.from?.startsWith(prefix) ?? false) || this.past.isUndoneIn(prefix);
  }
}

/** Child runs may have asked. Distributed items are examined one by one, unless their list may be another one. */
const mayHaveAsked = (step: Step, hasNewInputs: boolean): boolean =>
  step.verb === 'ask' || step.verb === 'workflow' || (hasNewInputs && step.verb === 'forEach' && step.distribute);
