/** Checks the arguments of a call as they are about to be sent. */
import { type SchemaError, usableSchema, isUnchecked, validator, segmentsOf } from '@baton/expressions';
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { withoutGivenArguments } from './argumentDefaults.ts';

/**
 * Why the arguments do not fit the tool's input schema, as far as it can be used. Empty if they fit, and also if they are
 * too large to be checked. A required argument that has a default may be missing: servers fill it in.
 *
 * `masks`: texts that stand for secrets. A value that contains one of them causes no error, since the secret may fit.
 */
export function argumentErrors(
  inputSchema: JsonSchema,
  args: JsonObject,
  masks: readonly string[] = [],
): readonly SchemaError[] {
  const { validate } = validator(withoutGivenArguments(usableSchema(inputSchema).schema, undefined));
  const errors = validate?.(args) ?? [];
  return errors.filter((error) => !isUnchecked(error) && !containsAny(valueAt(args, error.pointer), masks));
}

function containsAny(value: Json | undefined, masks: readonly string[]): boolean {
  const text = masks.length === 0 ? '' : JSON.stringify(value ?? null);
  return masks.some((mask) => text.includes(mask));
}

const valueAt = (args: JsonObject, pointer: string): Json | undefined =>
  segmentsOf(pointer).reduce<Json | undefined>((value, segment) => {
    if (Array.isArray(value)) return (value as readonly Json[])[Number(segment)];
    return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
  }, args);
