/** Folds an event about one step: `evolve` for every event with a path. */
import { isLoop } from '@baton/language';

import { invariant } from '../invariant.ts';
import type { EventOf, RunEvent } from './event.ts';
import { closedFrame, withClosed } from './frames.ts';
import { stateAt } from './locate.ts';
import { mayHaveBeenMade } from './mayHaveBeenMade.ts';
import { parsePath } from './path.ts';
import type { RunWrites, UnfinishedRun } from './run.ts';
import type { Spending } from './spending.ts';
import { costOf, plus } from './spent.ts';
import {
  type ArrivedResult,
  type Frame,
  type Items,
  type RunningStep,
  type StepState,
  emptyFrame,
  move,
  noFrames,
} from './step.ts';
import type { Value } from './value.ts';

/** Replaces the outputs of a finished frame by their journal positions: only an undo may still read them. */
const leftInJournal = (frame: Frame): Frame => ({ steps: frame.steps.map(withoutValue) });

function withoutValue(state: StepState): StepState {
  const frames = new Map([...state.frames].map(([name, frame]) => [name, leftInJournal(frame)] as const));
  if (state.status !== 'succeeded' || !('json' in state.value) || !isCompound(state.value.json))
    return { ...state, frames };
  return { ...state, frames, value: { past: state.seq } };
}

const isCompound = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

type StepEvent = Exclude<
  Extract<RunEvent, { path: string }>,
  { type: 'step.progressed' | 'step.undone' | 'call.requested' | 'call.delivered' }
>;

export function evolveStep(run: UnfinishedRun, event: StepEvent): UnfinishedRun {
  const [root, ...segments] = parsePath(event.path);
  const frame = run.frames.get(root) ?? emptyFrame;
  const frames = new Map(run.frames).set(root, changeAt(frame, segments, 0, run, event));
  const after: UnfinishedRun = { ...run, frames };
  const mayMatter = run.questions > 0 || event.type === 'step.waiting' || event.type === 'question.asked';
  const questions = mayMatter ? run.questions + isAsking(after, event.path) - isAsking(run, event.path) : 0;
  const itemCount = run.itemCount + itemCountOf(event);
  return withRunChanges({ ...after, questions, itemCount, writes: writesAfter(run, event) }, event);
}

/** Paths of writes that are remembered. */
const writePathsMax = 20;

function writesAfter(run: UnfinishedRun, event: StepEvent): RunWrites {
  const { writes } = run;
  if (event.type !== 'step.succeeded' || !isWrite(run, event)) return writes;
  const { count, paths, kept } = writes;
  // A kept outcome comes without its call, so what it did is not known here.
  if (event.kept !== undefined || isCalledBefore(stateAt(run, event.path)))
    return { count, paths, kept: { path: event.path, before: kept } };
  return { kept, count: count + 1, paths: count < writePathsMax ? [...paths, event.path] : paths };
}

/** The run before made the call and lost the answer; a person, or a check, says now that it happened. */
const isCalledBefore = (state: StepState | undefined): boolean =>
  (state?.status === 'unknown' && state.call !== undefined) ||
  (state?.status === 'waiting' && state.isCalledBefore === true);

/** An idempotent call changes something too. A call whose outcome was unknown is a write, and a child run may write. */
function isWrite(run: UnfinishedRun, { verb, path }: EventOf<'step.succeeded'>): boolean {
  if (verb !== 'tool' && verb !== 'workflow') return false;
  const state = stateAt(run, path);
  if (state?.status === 'running') return state.call?.verb === 'tool' && state.call.effect !== 'read';
  return !(state?.status === 'waiting' && state.awaiting.for === 'child' && state.awaiting.mustRead === true);
}

const itemCountOf = (event: StepEvent): number =>
  event.type === 'step.started' || event.type === 'child.finished' || event.type === 'child.started'
    ? (event.itemCount ?? 0)
    : 0;

/** 1 where the step at `path` has an open question. */
function isAsking(run: UnfinishedRun, path: string): 0 | 1 {
  const state = stateAt(run, path);
  if (state?.status === 'running') return state.asked !== undefined && state.asked.answer === undefined ? 1 : 0;
  return state?.status === 'waiting' && state.awaiting.for === 'answer' && state.arrived === undefined ? 1 : 0;
}

/** Applies a step's event to the run's own fields: spending, signals, undoable steps, takeovers in a row. */
function withRunChanges(run: UnfinishedRun, event: StepEvent): UnfinishedRun {
  const spent = plus(run.spent, costOf(event));
  if (event.type !== 'step.succeeded') return spent === run.spent ? run : { ...run, spent };
  const { path, signal, undoable: isUndoable } = event;
  const signals = signal === undefined ? run.signals : run.signals.filter(({ seq }) => seq !== signal);
  const undoable = isUndoable && isUndoneOnFailure(path) ? { path, before: run.undoable } : run.undoable;
  if (run.status === 'running') return { ...run, spent, signals, undoable, takeoversInARow: 0 };
  return { ...run, spent, signals, undoable };
}

/** Whether the step is one of the run's own, and not part of an undo or of a clean-up. */
const isUndoneOnFailure = (path: string): boolean =>
  parsePath(path)[0] === '@main' && !path.includes('/@undo/') && !path.includes('/@finally/');

function changeAt(
  frame: Frame,
  segments: readonly string[],
  from: number,
  run: UnfinishedRun,
  event: StepEvent,
): Frame {
  const key = segments[from];
  const inner = segments[from + 1];
  invariant(key !== undefined, `the path ${event.path} ends in a frame`);
  const before = frame.steps.get(key);
  const after = inner === undefined ? change(before, run, event) : enter(before, segments, from, run, event);
  return { steps: frame.steps.with(key, after) };
}

/** Applies an event of a deeper step, in the frame `segments[from + 1]` of this one. */
function enter(
  before: StepState | undefined,
  segments: readonly string[],
  from: number,
  run: UnfinishedRun,
  event: StepEvent,
): StepState {
  const name = segments[from + 1] ?? '';
  invariant(
    before !== undefined,
    `the step ${segments.slice(0, from + 1).join('/')} has not begun, so ${event.path} cannot`,
  );
  const { items } = before;
  const spent = plus(before.spent, costOf(event));
  const over = before.frames.has(name) ? undefined : closedFrame(items?.closed, name);
  if (items !== undefined && over !== undefined) {
    const frame = changeAt(over, segments, from + 2, run, event);
    return { ...before, spent, items: { ...items, closed: withClosed(items.closed, name, frame) } };
  }
  const frame = changeAt(before.frames.get(name) ?? emptyFrame, segments, from + 2, run, event);
  const frames = new Map(before.frames).set(name, frame);
  const index = Number(name);
  if (items === undefined || !(index >= items.next)) return { ...before, spent, frames };
  return { ...before, spent, frames, items: { ...items, next: index + 1 } };
}

function change(before: StepState | undefined, run: UnfinishedRun, event: StepEvent): StepState {
  const frames = before?.frames ?? noFrames;
  const verb = before?.verb ?? ('verb' in event ? event.verb : 'tool');
  const attempt = 'attempt' in event ? event.attempt : (before?.attempt ?? 0);
  const common = {
    verb,
    attempt,
    frames,
    items: before?.items,
    spent: plus(before?.spent, costOf(event)),
    case: before?.case,
    seenAt: before?.seenAt ?? 0,
  };
  switch (event.type) {
    case 'step.started':
      return move(before, started(common, run, event));
    case 'step.waiting':
      return move(before, {
        ...common,
        status: 'waiting',
        startedAt: event.at,
        awaiting: event.awaiting,
        arrived: undefined,
        ...(isCalledBefore(before) && { isCalledBefore: true as const }),
      });
    case 'step.succeeded':
      return move(before, succeeded(before, common, run, event));
    case 'step.retrying':
      return move(before, { ...common, status: 'retrying', resumeAt: event.resumeAt, failure: event.failure });
    case 'step.unknown':
      return move(before, {
        ...common,
        status: 'unknown',
        failure: event.failure,
        call: event.call,
        seenAt: run.seq + 1,
      });
    case 'step.failed':
      return move(before, { ...common, status: 'failed', failure: event.failure });
    case 'step.cancelled':
      return move(before, { ...common, status: 'cancelled' });
    case 'step.skipped':
      return move(before, { ...common, status: 'skipped' });
    case 'item.finished':
      return itemFinished(before, event);
    case 'question.asked':
      invariant(before?.status === 'running', 'only a server whose call is under way can ask');
      return { ...before, asked: { question: event.question } };
    case 'sample.answered': {
      const { value, failure, usage, by } = event;
      return arrived(before, { kind: 'sample', value, failure, usage, by });
    }
    case 'question.answered':
      if (before?.status === 'running' && before.asked !== undefined)
        return questionAnswered(before, before.asked, event);
      return arrived(before, { kind: 'answer', answer: { json: event.answer }, by: event.by, at: event.at });
    case 'child.started': {
      const { runId } = event;
      return arrived(before, { kind: 'child', runId, status: 'succeeded', outputs: undefined, failure: undefined });
    }
    case 'child.finished': {
      const { runId, status, outputs, failure } = event;
      return arrived(before, { kind: 'child', runId, status, outputs, failure }, costOf(event));
    }
  }
}

type CommonFields = Pick<StepState, 'verb' | 'attempt' | 'frames' | 'items' | 'spent' | 'case' | 'seenAt'>;

function started(common: CommonFields, run: UnfinishedRun, event: EventOf<'step.started'>): StepState {
  // A group counts, too: its steps are over before its handler or its `finally` begins.
  const hasItems = isLoop(event.verb) || event.verb === 'steps';
  const items: Items = {
    values: event.items,
    next: 0,
    finished: 0,
    collected: undefined,
    closed: undefined,
    failure: undefined,
    isCut: false,
    again: true,
    resumeAt: undefined,
  };
  return {
    ...common,
    status: 'running',
    startedAt: event.at,
    claim: run.claim,
    seq: run.seq + 1,
    call: event.call,
    isPerhapsMade: event.call !== undefined && mayHaveBeenMade(run, { ...event, call: event.call }, common.seenAt),
    seenAt: run.seq + 1,
    case: event.case,
    items: hasItems ? items : undefined,
    ...(event.reopened && { frames: new Map(event.reopened.map((index) => [String(index), emptyFrame])) }),
  };
}

function succeeded(
  before: StepState | undefined,
  common: CommonFields,
  run: UnfinishedRun,
  event: EventOf<'step.succeeded'>,
): StepState {
  const items = before?.items;
  const value = event.verb === 'forEach' && items !== undefined ? inOrder(items) : event.value;
  const forUndo = items?.closed === undefined ? undefined : items.values;
  return {
    ...common,
    status: 'succeeded',
    value,
    seq: run.seq + 1,
    undoable: event.undoable ?? false,
    by: event.by,
    at: event.at,
    items: items === undefined ? undefined : { ...items, collected: undefined, values: forUndo },
  };
}

/** The collected values in item order; null for items without a value. */
function inOrder({ collected, finished }: Items): Value {
  const list = Array.from({ length: finished }, (): Value => nothing);
  for (let one = collected; one !== undefined; one = one.before) {
    if (one.value !== undefined) list[one.index] = one.value;
  }
  return { list };
}

const nothing: Value = { json: null };

/**
 * Drops a finished item, except what may still be undone and, in a `repeat`, the last round, which expressions read. So
 * a `forEach` over ten thousand items needs memory for its open items only.
 */
function itemFinished(before: StepState | undefined, event: EventOf<'item.finished'>): StepState {
  invariant(before?.status === 'running' && before.items !== undefined, `no item can finish at ${event.path}`);
  const { index, value, failure } = event;
  const { items } = before;
  const name = String(before.verb === 'repeat' ? index - 1 : index);
  const frame = before.frames.get(name);
  const frames = new Map(before.frames);
  frames.delete(name);
  const isEmpty = value === undefined && failure === undefined;
  return {
    ...before,
    frames,
    items: {
      ...items,
      next: Math.max(items.next, index + 1),
      finished: items.finished + 1,
      collected: isEmpty ? items.collected : { index, value, failure, before: items.collected },
      closed:
        frame !== undefined && mayBeUndone(frame) ? withClosed(items.closed, name, leftInJournal(frame)) : items.closed,
      failure: items.failure ?? (value === undefined ? failure : undefined),
      isCut: items.isCut || event.cut === true,
      again: event.again ?? false,
      resumeAt: event.resumeAt,
    },
  };
}

const mayBeUndone = (frame: Frame): boolean => frame.steps.values().some(isUndoable);

function isUndoable(state: StepState): boolean {
  if (state.status === 'succeeded' && state.undoable) return true;
  return state.items?.closed !== undefined || state.frames.values().some(mayBeUndone);
}

/** The first answer counts. */
function questionAnswered(
  before: RunningStep,
  asked: NonNullable<RunningStep['asked']>,
  { answer, by }: EventOf<'question.answered'>,
): StepState {
  return asked.answer === undefined ? { ...before, asked: { ...asked, answer, by } } : before;
}

function arrived(before: StepState | undefined, result: ArrivedResult, cost?: Spending): StepState {
  invariant(before?.status === 'waiting', 'only a waiting step can be answered');
  return before.arrived === undefined ? { ...before, arrived: result, spent: plus(before.spent, cost) } : before;
}
