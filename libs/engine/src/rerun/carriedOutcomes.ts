/**
 * Selects the outcomes of a finished run that a rerun starts with, so that nothing is done again needlessly (invariant
 * I6). Pure: from a journal to the first events of the new run.
 *
 * Steps run top to bottom, so each block keeps the outcomes before its first unsuccessful step and none after it; in a
 * `parallel`, a `forEach` and a `repeat` each child, item and round is examined on its own. Undone outcomes are not
 * kept. Handlers, undos and checks run again where they are needed.
 */
import type { Block, GroupStep, ParallelStep, Plan, Step, Verb } from '@baton/language';

import { bodyOf } from '../decide/distribute.ts';
import type { EventOf, RunEvent } from '../state/event.ts';
import { handlerOf } from '../state/locate.ts';
import type { Path } from '../state/path.ts';
import { framePrefix } from '../state/path.ts';
import type { PastStep, StepEndEvent } from './pastSteps.ts';
import { PastSteps } from './pastSteps.ts';
import type { RepeatedCall } from './repeatedCalls.ts';
import { repeatedCalls } from './repeatedCalls.ts';

export interface CarriedOutcomes {
  /** The events after `run.requested` in the new run's journal. */
  readonly events: readonly RunEvent[];
  /** Calls of the old run that the new one makes again if it reaches them. */
  readonly again: readonly RepeatedCall[];
  /** Steps of the old run that the new run's version does not have. */
  readonly unmatched: readonly Path[];
}

export interface CarryOptions {
  /** When the new run is requested. */
  readonly at: number;
  /** This step and all steps after it run again, even where they succeeded. */
  readonly from?: Path | undefined;
  /**
   * Questions are asked again: a person's answer holds for the inputs it was given for, and for one run of what follows.
   * Child runs and distributed items may have asked, and run again too.
   */
  readonly asksAgain?: boolean | undefined;
}

export function carryOutcomes(plan: Plan, journal: readonly RunEvent[], options: CarryOptions): CarriedOutcomes {
  const { at } = options;
  const selection = new OutcomeSelection(journal, options);
  selection.block(plan.steps, '');
  const events = selection.kept.toSorted((a, b) => a - b).map((index) => selection.carriedEvent(index, at));
  const kept = new Set(selection.kept);
  const again = repeatedCalls(journal, selection.past, (_, position) => kept.has(position));
  return { events, again, unmatched: [] };
}

/** Paths of the steps that have begun, in the order in which they began. */
export function startedPaths(journal: readonly RunEvent[]): readonly Path[] {
  return [...new Set(journal.flatMap((event) => ('path' in event ? [event.path] : [])))];
}

class OutcomeSelection {
  /** Positions of the events that are kept, in the order they were found. */
  readonly kept: number[] = [];
  readonly past: PastSteps;
  readonly #journal: readonly RunEvent[];
  readonly #from: Path | undefined;
  readonly #asksAgain: boolean;
  /** Verbs of calls with unknown outcome, whose last event does not name the verb. */
  readonly #verbs = new Map<number, Verb>();
  /** Incomplete items below the last kept one, by the position at which their `forEach` began. */
  readonly #reopened = new Map<number, readonly number[]>();

  constructor(journal: readonly RunEvent[], { from, asksAgain = false }: CarryOptions) {
    this.#journal = journal;
    this.#from = from;
    this.#asksAgain = asksAgain;
    this.past = new PastSteps(journal);
  }

  /** True where the block ended, and all of it is kept. */
  block({ steps }: Block, prefix: string): boolean {
    return steps.every((step) => this.#step(step, prefix));
  }

  /** The event as the new journal holds it. */
  carriedEvent(index: number, at: number): RunEvent {
    const event = this.#journal[index] as RunEvent;
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
    const past = this.past.get(path);
    if (past === undefined || path === this.#from || this.past.undone.has(path)) return false;
    if (this.#asksAgain && mayHaveAsked(step)) return false;
    const ended = past.ended === undefined ? undefined : (this.#journal[past.ended] as StepEndEvent);
    const isWhole = past.started === undefined || this.#inside(step, path, prefix, past);
    if (ended === undefined || past.ended === undefined) return false;
    const isDone =
      ended.type === 'step.succeeded' || ended.type === 'step.skipped' ? isWhole : this.#isHandled(step, path, ended);
    if (!isDone) return false;
    this.#verbs.set(past.ended, step.verb);
    this.kept.push(past.ended);
    return true;
  }

  /** Whether the workflow ignored the failure, or its handler ran to its end; then the handler is kept too. */
  #isHandled(step: Step, path: Path, ended: EventOf<'step.failed'> | EventOf<'step.unknown'>): boolean {
    if (step.onError === 'ignore') return true;
    const handler = handlerOf(step, ended.failure.code);
    if (handler === undefined) return false;
    const before = this.kept.length;
    if (this.block(handler, framePrefix(path, '@onError'))) {
      const past = this.past.get(path);
      if (step.verb === 'steps' && past !== undefined) this.#cleanedUp(step, path, past);
      return true;
    }
    // The step runs again and may succeed, so the state of its handler is not carried over.
    this.kept.length = before;
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
      case 'tool':
      case 'prompt':
      case 'resource':
      case 'sample':
      case 'ask':
      case 'wait':
      case 'set':
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

  /** The step of a race that succeeded first. */
  #firstOf(steps: readonly Step[], prefix: string): Step {
    const endOf = ({ key }: Step): number => {
      const ended = this.past.get(prefix + key)?.ended;
      return ended !== undefined && this.#journal[ended]?.type === 'step.succeeded' ? ended : Infinity;
    };
    return steps.reduce((first, step) => (endOf(step) < endOf(first) ? step : first));
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
    const isOver = ended !== undefined && this.#journal[ended]?.type === 'step.succeeded';
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
    return (this.#from?.startsWith(prefix) ?? false) || this.past.isUndoneIn(prefix);
  }
}

/** The journals of child runs are not read here. */
const mayHaveAsked = (step: Step): boolean =>
  step.verb === 'ask' || step.verb === 'workflow' || (step.verb === 'forEach' && step.distribute);
