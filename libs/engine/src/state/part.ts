/**
 * Items of a `forEach` with `distribute`: each is a child run of the same definition that runs the body for one item. Its
 * request carries the values that the body reads from outside.
 */
import type { References, Template } from '@baton/expressions';
import type { ForEachStep, Plan, Step } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import { invariant } from '../invariant.ts';
import type { DefinitionPart } from './definitionPart.ts';
import { placeAt, stepAt } from './locate.ts';
import type { Path } from './path.ts';
import { scopeAt } from './place.ts';
import { objectsIn, referencesOf } from './readers.ts';
import type { Run } from './run.ts';
import { type Blobs, resolve } from './value.ts';

/** The plan that a run executes: the whole definition, or the body of one `forEach`. */
export function planFor(plan: Plan, run: Pick<Run, 'part'>): Plan {
  if (run.part === undefined) return plan;
  const { pointer } = run.part;
  const step = distributedSteps(plan).get(pointer);
  invariant(step !== undefined, `the workflow has no forEach at ${pointer} whose items are distributed`);
  const { workflow, inputs } = plan;
  // The value of `collect` becomes the outputs of the run, even where it is not a map.
  const outputs = step.collect as Template<JsonObject> | undefined;
  return { workflow, inputs, steps: step.body, ...(outputs === undefined ? {} : { outputs }) };
}

/** The part that the child run of the step at `path` executes; the step is in an item's frame. Throws `BlobsNeeded`. */
export function partAt(plan: Plan, run: Run, path: Path, blobs: Blobs): DefinitionPart {
  const step = forEachAt(plan, run, path);
  const place = placeAt(plan, run, path, blobs);
  const read = referencesIn(step);
  const { steps = {}, run: about, inputs: _inputs, ...names } = scopeAt(place, { ...read, secrets: [] });
  const scope = { steps, run: about, names } as unknown as Json;
  return { pointer: step.pointer, index: Number(path.split('/').at(-2)), scope: { json: scope } };
}

/** The inputs that the body reads. All of them would store a list that is an input once with each of its items. */
export function inputsOfItem(plan: Plan, run: Run, path: Path, blobs: Blobs): JsonObject {
  const { names, inputs: read } = referencesIn(forEachAt(plan, run, path));
  if (!names.includes('inputs')) return {};
  const inputs = resolve(run.inputs, blobs) as JsonObject;
  if (read === undefined) return inputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => read.includes(name)));
}

function forEachAt(plan: Plan, run: Run, path: Path): ForEachStep {
  const step = stepAt(plan, run, path.split('/').slice(0, -2).join('/'));
  invariant(step.verb === 'forEach', `${path} is no item of a forEach`);
  return step;
}

const distributedByPlan = new WeakMap<Plan, ReadonlyMap<string, ForEachStep>>();

function distributedSteps(plan: Plan): ReadonlyMap<string, ForEachStep> {
  const known = distributedByPlan.get(plan);
  if (known !== undefined) return known;
  const all = new Map<string, ForEachStep>();
  for (const one of objectsIn(plan)) {
    const step = one as Partial<Step>;
    if (step.verb === 'forEach' && step.distribute === true)
      all.set((step as ForEachStep).pointer, step as ForEachStep);
  }
  distributedByPlan.set(plan, all);
  return all;
}

const references = new WeakMap<ForEachStep, References>();

/** Everything that the body and `collect` read, and `run`: inside the item's run, `run` would be the child. */
function referencesIn(step: ForEachStep): References {
  const known = references.get(step);
  if (known !== undefined) return known;
  const read = referencesOf([step.body, step.collect]);
  const unique = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];
  const all = {
    names: unique([['run', 'steps'], ...read.map(({ names }) => names)]).filter((name) => name !== 'secrets'),
    steps: unique(read.map(({ steps }) => steps)),
    secrets: [],
    ...(read.every(({ names, inputs }) => inputs !== undefined || !names.includes('inputs')) && {
      inputs: unique(read.map(({ inputs = [] }) => inputs)),
    }),
    ...(read.some(({ seesHandlers }) => seesHandlers) && { seesHandlers: true as const }),
  };
  references.set(step, all);
  return all;
}
