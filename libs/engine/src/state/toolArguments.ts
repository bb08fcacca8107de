/** The arguments of a tool step: those of its `with`, and those that Baton adds. */
import type { ToolStep } from '@baton/language';
import { type Json, type JsonObject, defined, isObject } from '@baton/primitives';

import type { Call } from './event.ts';
import { type StepPlace, maskOf, scopeAt } from './place.ts';
import { type Blobs, resolve } from './value.ts';

type ToolCall = Extract<Call, { verb: 'tool' }>;

export interface ToolArguments {
  readonly written: JsonObject;
  /** Defaults of the tool, and the idempotency key where an argument holds it. */
  readonly added: JsonObject;
  /** The idempotency key that the author wrote. */
  readonly key?: string;
}

/** Throws `EvaluationError`, and `BlobsNeeded` where a value is not loaded. */
export function toolArguments(step: ToolStep, place: StepPlace): ToolArguments {
  const { idempotencyKey, defaults = {}, effect } = step;
  const written = step.with.evaluate(scopeAt(place, step.with));
  const key = idempotencyKey && textOf(idempotencyKey.evaluate(scopeAt(place, idempotencyKey)));
  const { idempotency } = effect;
  const keyed =
    typeof idempotency === 'object'
      ? { [idempotency.argument]: key ?? `${place.run.id}/${place.prefix}${step.key}` }
      : {};
  const unwritten = Object.entries({ ...defaults, ...keyed }).filter(([name]) => !Object.hasOwn(written, name));
  return { written, added: Object.fromEntries(unwritten), ...defined({ key }) };
}

/** `call.arguments`: what the step called the tool with, without secrets. */
export function argumentsSeen(step: ToolStep, place: StepPlace): JsonObject {
  const { written, added } = toolArguments(step, place);
  return withoutMasks({ ...added, ...written }, step.with.secrets);
}

/** The same of a call of the run before, as its journal has it. */
export function argumentsMade(step: ToolStep, { arguments: given, added }: ToolCall, blobs: Blobs): JsonObject {
  const written = resolve(given, blobs);
  return withoutMasks({ ...added, ...(isObject(written) ? written : {}) }, step.with.secrets);
}

/**
 * Leaves out the arguments that hold one of the secrets: a check that looked for its mask would find nothing, and Baton
 * would repeat a call that happened.
 */
function withoutMasks(args: JsonObject, secrets: readonly string[]): JsonObject {
  const masks = secrets.map(maskOf);
  const isSeen = (value: Json): boolean => {
    const text = masks.length === 0 ? '' : JSON.stringify(value);
    return !masks.some((mask) => text.includes(mask));
  };
  return Object.fromEntries(Object.entries(args).filter(([, value]) => isSeen(value)));
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
