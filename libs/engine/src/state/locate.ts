/** Finds the step that a path names, and the place where that step runs. */
import { type Block, type Plan, type Step, blocksInRole, isLoopStep } from '@baton/language';

import type { Failure } from '../failure.ts';
import { invariant } from '../invariant.ts';
import { type InnerFrame, callSeen } from './callSeen.ts';
import { isCheckFrame } from './checkFrame.ts';
import { bodyOf } from './distribute.ts';
import { ensureFailure, ensureFrame } from './ensure.ts';
import { type Path, type RootFrame, parsePath } from './path.ts';
import { type StepPlace, enterFrame, errorView, groupError, itemLocals, rootPlace } from './place.ts';
import type { Run } from './run.ts';
import { sessionPlace } from './sessionPlace.ts';
import { sessionStep } from './sessionSteps.ts';
import { type Frame, type StepState, emptyFrame, frameIn } from './step.ts';
import type { Blobs } from './value.ts';

/** The state of the step at `path`; undefined while it is pending. */
export function stateAt(run: Run, path: Path): StepState | undefined {
  const [root, ...segments] = parsePath(path);
  let frame = run.frames.get(root);
  for (let i = 0; ; i += 2) {
    const state = frame?.steps.get(segments[i] ?? '');
    const name = segments[i + 1];
    if (state === undefined || name === undefined) return state;
    frame = frameIn(state, name) ?? emptyFrame;
  }
}

/** The step of the plan at `path`. */
export function stepAt(plan: Plan, run: Run, path: Path): Step {
  return walk(plan, run, path, () => undefined);
}

/** The place where the step at `path` runs. Throws `BlobsNeeded` for an item that is not loaded. */
export function placeAt(plan: Plan, run: Run, path: Path, blobs: Blobs): StepPlace {
  const [root, key] = parsePath(path);
  let place = rootPlace(run, blobs, root);
  const call = root === '@main' ? run.session?.calls.find((one) => one.path === key) : undefined;
  if (call !== undefined) place = sessionPlace(place, call);
  walk(plan, run, path, (step, state, name) => {
    const frame = state && frameIn(state, name);
    const locals = localsOf(step, state, { place, frame: name });
    place = enterFrame(place, place.prefix + step.key, name, frame, locals);
  });
  return place;
}

type StepVisitor = (step: Step, state: StepState | undefined, frame: string) => void;

function walk(plan: Plan, run: Run, path: Path, visit: StepVisitor): Step {
  const [root, ...segments] = parsePath(path);
  let block = rootBlock(plan, root);
  let frame = run.frames.get(root) ?? emptyFrame;
  for (let i = 0; ; i += 2) {
    const key = segments[i] ?? '';
    const isSessionCall = i === 0 && root === '@main' && run.session !== undefined;
    const step = isSessionCall ? sessionStep(run.session, key) : stepIn(block, key, frame);
    invariant(step !== undefined, `the workflow has no step at ${path}`);
    const name = segments[i + 1];
    if (name === undefined) return step;
    const state = frame.steps.get(step.key);
    visit(step, state, name);
    block = blockOf(step, state, name, path);
    frame = (state && frameIn(state, name)) ?? emptyFrame;
  }
}

const rootBlocks = ({ steps, onFailure, finally: last }: Plan): Record<RootFrame, Block | undefined> => ({
  '@main': steps,
  '@onFailure': onFailure,
  '@finally': last,
});

function rootBlock(plan: Plan, root: RootFrame): Block {
  const block = rootBlocks(plan)[root];
  invariant(block !== undefined, `the workflow has no ${root}`);
  return block;
}

function blockOf(step: Step, state: StepState | undefined, name: string, path: Path): Block {
  const block = innerBlock(step, state, name);
  invariant(block !== undefined, `the step ${step.key} has no frame ${name} (${path})`);
  return block;
}

function innerBlock(step: Step, state: StepState | undefined, name: string): Block | undefined {
  if (name === '@undo') return step.undo;
  if (name === '@onError') {
    const failure = failureOf(state);
    return failure && handlerOf(step, failure.code);
  }
  if (name === '@finally') return step.verb === 'steps' ? step.finally : undefined;
  if (name === ensureFrame) return step.ensure;
  if (isCheckFrame(name)) return step.verb === 'tool' ? step.check?.block : undefined;
  if (step.verb === 'forEach') return bodyOf(step);
  return isLoopStep(step) ? step.body : undefined;
}

/** The names that the frame `frame` of a step adds. */
export function localsOf(step: Step, state: StepState | undefined, inside: InnerFrame): StepPlace['locals'] {
  const { frame: name, place } = inside;
  const failure = failureOf(state);
  if (name === '@onError' && failure !== undefined) return { error: errorView(failure) };
  if (step.verb === 'tool') return callSeen(step, state, inside);
  if (step.verb === 'steps') return name === '@finally' ? { error: groupError(state?.items) } : {};
  if (step.verb === 'repeat') return { index: Number(name) };
  const values = state?.items?.values;
  return step.verb === 'forEach' && values !== undefined ? itemLocals(step, values, Number(name), place.blobs) : {};
}

/**
 * Why a step failed; for a group whose `finally` is under way, why its steps failed; for a step that has succeeded, which
 * `ensure` failed.
 */
const failureOf = (state: StepState | undefined): Failure | undefined =>
  state !== undefined && 'failure' in state ? state.failure : (state?.items?.failure ?? ensureFailure(state));

/**
 * The step of the plan at `path`, found without a run. Where several handlers or cases have a step of this id, the first
 * one.
 */
export function findStep(plan: Plan, path: Path): Step | undefined {
  const [root, ...segments] = parsePath(path);
  let blocks: readonly (Block | undefined)[] = [rootBlocks(plan)[root]];
  for (let i = 0; ; i += 2) {
    const key = segments[i] ?? '';
    const step = blocks.map((block) => block && stepIn(block, key, undefined)).find((one) => one !== undefined);
    const name = segments[i + 1];
    if (step === undefined || name === undefined) return step;
    blocks = name === '@onError' ? handlersOf(step) : [innerBlock(step, undefined, name)];
  }
}

/** The step of the plan at `path`, in the cases that the run has taken; undefined where the plan has no such step. */
export function stepFor(plan: Plan, run: Run, path: Path): Step | undefined {
  return findStep(plan, path) === undefined ? undefined : stepAt(plan, run, path);
}

const handlersOf = ({ onError }: Step): readonly Block[] =>
  typeof onError === 'string' ? [] : onError.map(({ block }) => block);

/** The handler that takes a failure of this code, if there is one. */
export function handlerOf(step: Step, code: string): Block | undefined {
  if (typeof step.onError === 'string') return undefined;
  return step.onError.find(({ match }) => match === undefined || match.includes(code))?.block;
}

/** A step of a frame, and the cases around it, each as the key of its `switch` and the index of the case. */
interface FrameStep {
  readonly step: Step;
  readonly cases: readonly (readonly [string, number])[];
}

const stepsByBlock = new WeakMap<Block, ReadonlyMap<string, readonly FrameStep[]>>();

/** The step with this key; where several cases have such a step, the one in the taken case. */
function stepIn(block: Block, key: string, frame: Frame | undefined): Step | undefined {
  const [first, ...others] = stepsByKey(block).get(key) ?? [];
  if (others.length === 0) return first?.step;
  const isTaken = ({ cases }: FrameStep): boolean =>
    cases.every(([chooser, index]) => frame?.steps.get(chooser)?.case === index);
  return [first, ...others].find((one) => one !== undefined && isTaken(one))?.step ?? first?.step;
}

/** All steps whose states are in the block's frame: its own, and those inside its `parallel`, `switch` and groups. */
function stepsByKey(block: Block): ReadonlyMap<string, readonly FrameStep[]> {
  const known = stepsByBlock.get(block);
  if (known !== undefined) return known;
  const all = Map.groupBy(
    block.steps.flatMap((step) => withSharedSteps(step, [])),
    ({ step }) => step.key,
  );
  stepsByBlock.set(block, all);
  return all;
}

function withSharedSteps(step: Step, cases: FrameStep['cases']): readonly FrameStep[] {
  const inBlock = (steps: readonly Step[], around = cases): readonly FrameStep[] =>
    steps.flatMap((one) => withSharedSteps(one, around));
  const shared = blocksInRole(step, 'shared');
  return [{ step, cases }, ...shared.flatMap(({ steps }, index) => inBlock(steps, casesIn(step, index, cases)))];
}

const casesIn = (step: Step, index: number, around: FrameStep['cases']): FrameStep['cases'] =>
  step.verb === 'switch' ? [...around, [step.key, index]] : around;

/** Keys of the steps inside a `parallel`, a `switch` or a group: their states live in the frame around it. */
export const sharedKeys = (step: Step): ReadonlySet<string> =>
  new Set(
    withSharedSteps(step, [])
      .slice(1)
      .map((one) => one.step.key),
  );
