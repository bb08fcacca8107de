/** `forEach` and `repeat`: one frame for each item or round, closed as soon as it is over. */
import { EvaluationError } from '@baton/expressions';
import type { ForEachStep, RepeatStep } from '@baton/language';

import { type Failure, isCutByLimit, notVerified } from '../failure.ts';
import { invariant } from '../invariant.ts';
import { bodyOf, itemRunKey } from '../state/distribute.ts';
import { type Path, framePrefix } from '../state/path.ts';
import { type StepPlace, enterFrame, errorView, itemLocals, scopeAt } from '../state/place.ts';
import { type Frame, type RunningStep, emptyFrame } from '../state/step.ts';
import { type Value, inFrame, resolve } from '../state/value.ts';
import type { BegunStep } from './begunStep.ts';
import { type BlockVerdict, type Command, type DecisionInProgress, done, open, stopped } from './decision.ts';
import { expressionFailure } from './expressionFailure.ts';
import type { DecideBlock } from './innerDecisions.ts';

export function decideForEach(
  d: DecisionInProgress,
  { step, state, place, path, stop }: BegunStep<ForEachStep, RunningStep>,
  decideBlock: DecideBlock,
): BlockVerdict {
  const { items } = state;
  invariant(items?.values !== undefined, 'a forEach that runs has items');
  const { values, failure, finished, next } = items;
  const inner = stop ?? (failure === undefined ? undefined : 'another item failed');
  const item = (index: number, frame: Frame): void => {
    if (d.isEnough()) return;
    if (inner === undefined && repeatCommands(d, framePrefix(path, index), frame)) return;
    const { events, perform, timeDependencies } = d;
    const [eventsBefore, performBefore] = [events.length, perform.length];
    const around = failure?.code === notVerified ? { ...place, unverified: failure } : place;
    const inside = enterFrame(around, path, index, frame, itemLocals(step, values, index, d.blobs));
    finishItem(d, { step, path, index, inside }, decideBlock(d, bodyOf(step), inside, inner));
    if (inner !== undefined || events.length > eventsBefore || d.timeDependencies > timeDependencies || d.isEnough())
      return;
    waitingItems.set(frame, { prefix: inside.prefix, claim: d.run.claim, perform: perform.slice(performBefore) });
  };
  let free = step.maxParallel - [...state.frames].filter(([name, frame]) => isIndex(name) && isBegun(frame)).length;
  for (const [name, frame] of state.frames) {
    if (!isIndex(name)) continue;
    // Reopened items wait for their turn like those that have not begun.
    const needsTurn = inner === undefined && !isBegun(frame);
    if (needsTurn && free <= 0) continue;
    if (needsTurn) free -= 1;
    item(Number(name), frame);
  }
  const list = resolve(values, d.blobs);
  const count = Array.isArray(list) ? list.length : 0;
  if (inner === undefined) {
    const active = next - finished;
    const until = Math.min(count, next + Math.max(0, step.maxParallel - active));
    for (let index = next; index < until; index++) item(index, emptyFrame);
  }
  const isOver = finished >= (inner === undefined ? count : next);
  if (!isOver) return open;
  if (failure !== undefined) return { kind: 'failed', failure };
  return finished < count || items.isCut ? stopped : done;
}

/** The commands of an item that only waits for its calls: the same as long as its frame is the same. */
interface WaitingItem {
  readonly prefix: Path;
  readonly claim: number;
  readonly perform: readonly Command[];
}

const waitingItems = new WeakMap<Frame, WaitingItem>();

/**
 * Repeats the commands of an item whose frame has not changed since it was decided, so that an event about one item
 * costs nothing for the others. False where it has changed.
 */
function repeatCommands(d: DecisionInProgress, prefix: Path, frame: Frame): boolean {
  const known = waitingItems.get(frame);
  if (known === undefined || known.claim !== d.run.claim || known.prefix !== prefix) return false;
  d.perform.push(...known.perform);
  return true;
}

const isBegun = ({ steps }: Frame): boolean => steps.size > 0;

const isIndex = (name: string): boolean => !name.startsWith('@');

interface BegunItem {
  readonly step: ForEachStep;
  /** Path of the `forEach`. */
  readonly path: Path;
  readonly index: number;
  readonly inside: StepPlace;
}

function finishItem(d: DecisionInProgress, { step, path, index, inside }: BegunItem, verdict: BlockVerdict): void {
  if (verdict.kind === 'open') return;
  const finish = (outcome: { value?: Value; failure?: Failure; cut?: true }): void => {
    const value = outcome.value === undefined ? {} : { value: outcome.value };
    const failure = outcome.failure === undefined ? {} : { failure: outcome.failure };
    const cut = outcome.cut === undefined ? {} : { cut: outcome.cut };
    d.events.push({ type: 'item.finished', at: d.nowMs, path, index, ...value, ...failure, ...cut });
  };
  const fail = (failure: Failure): void =>
    finish(
      step.onItemError === 'collect' && !isCutByLimit(failure)
        ? { failure, value: { json: { error: errorView(failure) } } }
        : { failure },
    );
  if (verdict.kind === 'stopped') return finish({ cut: true });
  if (verdict.kind === 'failed') return fail(verdict.failure);
  try {
    const value = collected(step, inside);
    finish(value === undefined ? {} : { value });
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    fail(expressionFailure(error, step.pointer, path));
  }
}

/** The value of `collect` for an item; a distributed item has evaluated it already. */
function collected({ collect, distribute }: ForEachStep, inside: StepPlace): Value | undefined {
  if (collect === undefined) return undefined;
  if (!distribute) return { json: collect.evaluate(scopeAt(inside, collect)) };
  const state = inside.frame.steps.get(itemRunKey);
  return state?.status === 'succeeded' ? inFrame(state.value) : undefined;
}

type RunningRepeat = BegunStep<RepeatStep, RunningStep>;

export function decideRepeat(d: DecisionInProgress, begun: RunningRepeat, decideBlock: DecideBlock): BlockVerdict {
  const { step, state, place, path, stop } = begun;
  const { items } = state;
  invariant(items !== undefined, 'a repeat that runs counts its rounds');
  const index = items.finished;
  const frame = state.frames.get(String(index));
  try {
    if (frame === undefined) {
      const verdict = verdictBeforeRound(d, begun, index);
      if (verdict !== undefined) return verdict;
    }
    const inside = enterFrame(place, path, index, frame, { index });
    const verdict = decideBlock(d, step.body, inside, stop);
    if (verdict.kind !== 'done') return verdict;
    const isMet = step.until?.evaluate(scopeAt(inside, step.until)) === true;
    const pause = isMet || step.everyMs === undefined ? {} : { resumeAt: d.nowMs + step.everyMs };
    d.events.push({ type: 'item.finished', at: d.nowMs, path, index, again: !isMet, ...pause });
    return open;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { kind: 'failed', failure: expressionFailure(error, step.pointer, path) };
  }
}

/** The verdict that keeps the round `index` from beginning; undefined: it begins. */
function verdictBeforeRound(
  d: DecisionInProgress,
  { step, state, place, path, stop }: RunningRepeat,
  index: number,
): BlockVerdict | undefined {
  if (stop !== undefined) return stopped;
  if (state.items?.again === false) return done;
  if (state.items?.resumeAt !== undefined && !d.isDue(state.items.resumeAt)) return open;
  const last = enterFrame(place, path, index, state.frames.get(String(index - 1)), { index });
  const isWanted = step.while === undefined || step.while.evaluate(scopeAt(last, step.while)) === true;
  if (!isWanted) return done;
  if (index < step.max) return undefined;
  if (step.until === undefined && step.while === undefined) return done;
  const message = `${step.key} ran ${step.max} times, and its condition did not come true.`;
  return { kind: 'failed', failure: { code: 'repeat-exhausted', message, step: path } };
}
