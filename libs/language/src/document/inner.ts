/** The lists of steps inside a step, and the place of each step. */
import { childOf } from '@baton/expressions';

import type { EnsureDocument } from './ensure.ts';
import { type HandlerDocument, type StepDocument, type StepList, isGroup, isHandler, stepsOf } from './step.ts';

export interface PlacedStep {
  readonly step: StepDocument;
  readonly pointer: string;
}

/** The role of a list of steps in its step. */
export type InnerKind =
  | 'parallel'
  | 'group'
  | 'finally'
  | 'case'
  | 'forEach'
  | 'repeat'
  | 'handler'
  | 'undo'
  | 'ensure';

export interface InnerSteps {
  readonly kind: InnerKind;
  /** The list's pointer; for a single step, its own. */
  readonly pointer: string;
  readonly steps: readonly PlacedStep[];
}

export const placed = (steps: StepList, pointer: string): PlacedStep[] =>
  steps.map((step, i) => ({ step, pointer: childOf(pointer, i) }));

export function innerLists(step: StepDocument, pointer: string): InnerSteps[] {
  const lists: InnerSteps[] = [];
  const add = (kind: InnerKind, at: string, steps: StepList): number =>
    lists.push({ kind, pointer: at, steps: placed(steps, at) });
  if ('parallel' in step) add('parallel', `${pointer}/parallel`, step.parallel);
  if ('forEach' in step) add('forEach', `${pointer}/steps`, step.steps);
  if (isGroup(step)) {
    add('group', `${pointer}/steps`, step.steps);
    if (step.finally !== undefined) add('finally', `${pointer}/finally`, step.finally);
  }
  if ('repeat' in step) add('repeat', `${pointer}/repeat/steps`, step.repeat.steps);
  if ('switch' in step) {
    for (const one of casesOf(step, pointer)) add('case', one.pointer, one.steps);
  }
  for (const one of handlersOf(step, pointer)) lists.push({ kind: 'handler', pointer: one.list, steps: one.steps });
  if ('ensure' in step && step.ensure !== undefined)
    lists.push({ kind: 'ensure', pointer: `${pointer}/ensure`, steps: readsOf(step.ensure, `${pointer}/ensure`) });
  const undo = undoOf(step, pointer);
  if (undo !== undefined) lists.push({ kind: 'undo', pointer: `${pointer}/undo`, steps: undo });
  return lists;
}

/** The step that reads for an entry of `ensure`. */
export function readOf(entry: EnsureDocument): StepDocument {
  const { title: _title, that: _that, within: _within, every: _every, ...read } = entry;
  return read;
}

/** The steps that read for an `ensure`. `pointer`: of its list. */
export const readsOf = (entries: readonly EnsureDocument[], pointer: string): PlacedStep[] =>
  placed(entries.map(readOf), pointer);

export interface SwitchCase {
  /** Absent: `else`. */
  readonly when?: string | boolean;
  readonly whenPointer: string;
  /** Of its list of steps. */
  readonly pointer: string;
  readonly steps: StepList;
}

export function casesOf(step: Extract<StepDocument, { switch: unknown }>, pointer: string): SwitchCase[] {
  return step.switch.map((one, i) => {
    const at = `${pointer}/switch/${i}`;
    return 'when' in one
      ? { when: one.when, whenPointer: `${at}/when`, pointer: `${at}/steps`, steps: one.steps }
      : { whenPointer: `${at}/else`, pointer: `${at}/else`, steps: one.else };
  });
}

export interface ErrorHandler {
  readonly match: readonly string[] | undefined;
  readonly matchPointer: string;
  /** Of its list of steps. */
  readonly list: string;
  readonly steps: readonly PlacedStep[];
}

/** A plain list of steps is one handler for every failure. */
export function handlersOf(step: StepDocument, pointer: string): ErrorHandler[] {
  const onError = 'onError' in step ? step.onError : undefined;
  const at = `${pointer}/onError`;
  if (onError === undefined || typeof onError === 'string') return [];
  if (!isArray(onError)) return [handler(onError, at)];
  const handlers = onError.flatMap((one, i) => (isHandler(one) ? [handler(one, childOf(at, i))] : []));
  if (handlers.length > 0) return handlers;
  return [{ match: undefined, matchPointer: at, list: at, steps: placed(onError, at) }];
}

type OnErrorList = readonly (StepDocument | HandlerDocument)[];

const isArray = (value: OnErrorList | HandlerDocument): value is OnErrorList => Array.isArray(value);

function handler({ match, steps }: HandlerDocument, at: string): ErrorHandler {
  return { match, matchPointer: `${at}/match`, list: `${at}/steps`, steps: placed(steps, `${at}/steps`) };
}

/** `undo` may be a single step. One that the server configuration declares has no steps in the file. */
export function undoOf(step: StepDocument, pointer: string): PlacedStep[] | undefined {
  const undo = 'undo' in step ? step.undo : undefined;
  if (undo === undefined || undo === 'declared') return undefined;
  const at = `${pointer}/undo`;
  const steps = stepsOf(undo);
  return Array.isArray(undo) ? placed(steps, at) : steps.map((one) => ({ step: one, pointer: at }));
}
