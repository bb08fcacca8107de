/** A place in a run: one frame, what its expressions can read, and its path. */
import type { References, Scope } from '@baton/expressions';
import type { Budget, ForEachStep } from '@baton/language';
import type { Json } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { invariant } from '../invariant.ts';
import { type Path, type RootFrame, framePrefix, rootPrefix } from './path.ts';
import { rowOf } from './row.ts';
import type { Run } from './run.ts';
import { type Frame, type Items, type StepState, emptyFrame } from './step.ts';
import { type Blobs, type Value, resolve } from './value.ts';
import { viewOf } from './view.ts';

export interface StepPlace {
  readonly run: Run;
  readonly blobs: Blobs;
  readonly frame: Frame;
  /** Path of a step here: `prefix + key`. */
  readonly prefix: string;
  /** Names that this frame adds to the scope: the item, `index`, `error`, `result`. */
  readonly locals: Readonly<Record<string, unknown>>;
  readonly outer: StepPlace | undefined;
  /** For the run of a distributed item: the values of the scope around its `forEach`. */
  readonly given?: ScopeValues | undefined;
  /** What the enclosing budgets leave to spend. */
  readonly allowance?: Budget | undefined;
  /** The limit of the run or of an enclosing step that ends what runs here. */
  readonly exceeded?: Failure | undefined;
  /** A step beside what runs here failed with `not-verified`, which undoes nothing. */
  readonly unverified?: Failure | undefined;
  /** Real secret values, just before a call; otherwise secrets are masked. */
  readonly secrets?: Readonly<Record<string, string>>;
}

interface ScopeValues {
  readonly steps: Readonly<Record<string, unknown>>;
  readonly run: unknown;
  readonly names: Readonly<Record<string, unknown>>;
}

/** Throws `BlobsNeeded` where the scope of a distributed item is not loaded. */
export function rootPlace(run: Run, blobs: Blobs, root: RootFrame): StepPlace {
  const given = run.part && (resolve(run.part.scope, blobs) as unknown as ScopeValues);
  const main: StepPlace = {
    run,
    blobs,
    frame: run.frames.get('@main') ?? emptyFrame,
    prefix: '',
    locals: given?.names ?? {},
    outer: undefined,
    given,
  };
  if (root === '@main') return main;
  const error = endingFailureOf(run);
  return {
    ...main,
    frame: run.frames.get(root) ?? emptyFrame,
    prefix: rootPrefix[root],
    locals: error === undefined ? {} : { error: errorView(error) },
    outer: main,
  };
}

/** Why the run is ending, for `onFailure` and `finally`. */
function endingFailureOf(run: Run): Failure | undefined {
  const ending = run.status === 'running' || run.status === 'waiting' ? run.ending : undefined;
  return ending === undefined || ending.status === 'succeeded' ? undefined : ending.failure;
}

export const errorView = (failure: { code: string; message: string; step?: string }): Json => ({
  code: failure.code,
  message: failure.message,
  step: failure.step ?? null,
});

/** `error` in the `finally` of a group, whose steps are over. */
export function groupError(items: Items | undefined): Json {
  if (items?.failure !== undefined) return errorView(items.failure);
  return items?.isCut === true
    ? errorView({ code: 'cancelled', message: 'The group was stopped before its end.' })
    : null;
}

/** The frame `name` inside the step at `path`. */
export function enterFrame(
  place: StepPlace,
  path: Path,
  name: string | number,
  frame: Frame | undefined,
  locals: StepPlace['locals'],
): StepPlace {
  return { ...place, frame: frame ?? emptyFrame, prefix: framePrefix(path, name), locals, outer: place };
}

/**
 * The values that an expression reads here; others are not looked up. Throws `BlobsNeeded` where one of them is not
 * loaded.
 */
export function scopeAt(place: StepPlace, refs: References, extra: Readonly<Record<string, unknown>> = {}): Scope {
  const scope: Record<string, unknown> = { __proto__: null };
  for (const name of refs.names) {
    if (name === 'steps') scope['steps'] = stepsAt(place, refs);
    else if (name === 'inputs') scope['inputs'] = resolve(place.run.inputs, place.blobs);
    else if (name === 'run') scope['run'] = place.given?.run ?? runView(place.run);
    else if (name === 'secrets') scope['secrets'] = place.secrets ?? masked(refs.secrets);
    else {
      const local = findLocal(place, name);
      if (local !== undefined) scope[name] = local;
      else if (name === 'state' && place.run.state !== undefined) scope[name] = place.run.state.values;
    }
  }
  return Object.assign(scope, extra);
}

/** The text that the journal holds in place of a secret. */
export const maskOf = (secret: string): string => `[secret:${secret}]`;

const masked = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, maskOf(name)]));

function stepsAt(place: StepPlace, { steps: ids, seesHandlers }: References): Record<string, unknown> {
  const steps: Record<string, unknown> = { __proto__: null };
  for (const id of ids) {
    const state = findStep(place, id, seesHandlers === true);
    if (state !== undefined) steps[id] = viewOf(state, place.blobs);
    else if (place.given !== undefined && Object.hasOwn(place.given.steps, id)) steps[id] = place.given.steps[id];
  }
  return steps;
}

function findStep(place: StepPlace, key: string, seesHandlers: boolean): StepState | undefined {
  for (let at: StepPlace | undefined = place; at !== undefined; at = at.outer) {
    const state = at.frame.steps.get(key);
    if (state !== undefined) return seesHandlers ? handlerStateOr(state, key) : state;
  }
  return undefined;
}

/** The state of the step in the failed step's handler that has the same id, if there is one; else `state`. */
function handlerStateOr(state: StepState, key: string): StepState {
  const mayBeHandled = state.status === 'failed' || state.status === 'succeeded';
  const inner = mayBeHandled ? state.frames.get('@onError')?.steps.get(key) : undefined;
  return inner === undefined ? state : handlerStateOr(inner, key);
}

/** The value of a name that a frame adds, from the inside out. */
export function findLocal(place: StepPlace, name: string): unknown {
  for (let at: StepPlace | undefined = place; at !== undefined; at = at.outer) {
    if (Object.hasOwn(at.locals, name)) return at.locals[name];
  }
  return undefined;
}

function runView(run: Run): Json {
  return {
    id: run.id,
    workflow: run.workflow,
    version: run.version ?? null,
    startedAt: new Date(rowOf(run).startedAt ?? run.createdAt).toISOString(),
    trigger: { kind: run.trigger.kind, ...run.trigger.detail },
  };
}

/** The item at `index` of a `forEach`, and its names. */
export function itemLocals(step: ForEachStep, values: Value, index: number, blobs: Blobs): StepPlace['locals'] {
  const items = resolve(values, blobs);
  invariant(Array.isArray(items), 'the items of a forEach are a list');
  return { [step.as]: items[index], index };
}
