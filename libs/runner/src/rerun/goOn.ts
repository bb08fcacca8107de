/** Begins a child run with the outcomes of another one, which a step of an earlier run had requested. */
import {
  type CarriedOutcomes,
  type DefinitionPart,
  type ToldOutcome,
  carryOutcomes,
  carryToVersion,
  FailureError,
  planFor,
  resolve,
  withStateSeen,
} from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import type { Plan } from '@baton/language';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import { withLoadedValues } from '../values/withLoadedValues.ts';
import { type PastRun, type PastRuns, firstOf, intentsBefore } from './pastRun.ts';

export interface GoOnTarget {
  readonly definition: string;
  /** Of the whole definition. */
  readonly plan: Plan;
  /** What the child executes, if it is an item of a `forEach`. */
  readonly part?: DefinitionPart | undefined;
}

export interface GoOnOptions {
  /** When the new run is requested. */
  readonly at: number;
  readonly asksAgain?: boolean | undefined;
  /** What a person says of calls of the child, and of the runs below it. */
  readonly told?: readonly ToldOutcome[] | undefined;
}

export interface BegunChild {
  readonly inputs: JsonObject;
  readonly part: DefinitionPart | undefined;
  /** The plan of the child: of its part only. */
  readonly plan: Plan;
  readonly carried: CarriedOutcomes;
}

/**
 * The new run has the inputs of the old one: all that these were computed from was kept. In the same definition it goes
 * on where the old one ended; in another one it keeps what both agree on. Rejects with `FailureError` if the inputs do
 * not fit that definition, and with `UnavailableError`.
 */
export async function goOn(
  runs: PastRuns,
  old: PastRun,
  target: GoOnTarget,
  { at, asksAgain, told }: GoOnOptions,
): Promise<BegunChild> {
  const { events, children } = old;
  const first = firstOf(events);
  const carry = { at, asksAgain, told, children };
  const seeing = (carried: CarriedOutcomes): CarriedOutcomes => withStateSeen(carried, events, old.id, at);
  const inputs = await withLoadedValues(runs, old.id, (blobs) => resolve(first.inputs, blobs) as JsonObject);
  if (first.definition === target.definition) {
    const { part } = first;
    const plan = planFor(target.plan, { part });
    return { inputs, part, plan, carried: seeing(carryOutcomes(plan, events, carry)) };
  }
  const part = target.part && (await asPartOf(runs, old, target.part));
  const plan = planFor(target.plan, { part });
  const fitted = part === undefined ? fittedTo(plan, inputs) : inputs;
  const intents = await intentsBefore(runs, events);
  const change = { ...carry, runId: old.id, inputs: { json: fitted }, part, intents };
  const carried = await withLoadedValues(runs, old.id, (blobs) => carryToVersion(plan, events, { ...change, blobs }));
  return { inputs: fitted, part, plan, carried: seeing(carried) };
}

function fittedTo(plan: Plan, given: JsonObject): JsonObject {
  const { inputs, errors } = validateInputs(plan, given);
  if (inputs !== undefined) return inputs;
  throw new FailureError('invalid-inputs', errors.map(({ message }) => message).join(' '));
}

/** `run` in the scope of an item stays the old parent: calls that have its id in their arguments are the same. */
async function asPartOf(runs: PastRuns, { id, events }: PastRun, part: DefinitionPart): Promise<DefinitionPart> {
  const { part: before } = firstOf(events);
  if (before === undefined) return part;
  return withLoadedValues(runs, id, (blobs) => {
    const [old, scope] = [resolve(before.scope, blobs), resolve(part.scope, blobs)];
    if (!isObject(old) || !isObject(scope)) return part;
    return { ...part, scope: { json: { ...scope, run: old['run'] ?? null } satisfies Json } };
  });
}
