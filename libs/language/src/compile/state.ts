/** Compiles the declaration of a workflow's state, and compares values with it. */
import { type SchemaError, schemaOf, validator } from '@baton/expressions';
import { type JsonObject, isObject } from '@baton/primitives';

import type { StatePlan } from '../plan.ts';

/** `written`: JSON Schema of an object, or the properties alone. */
export function statePlan(written: JsonObject): StatePlan {
  const schema = schemaOf(written);
  if (!isObject(schema)) return { schema: {}, defaults: {} };
  // A key that no run has written is no mistake.
  const { required: _required, ...optional } = schema;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const defaults = Object.fromEntries(
    Object.entries(properties).map(([key, one]) => [key, (isObject(one) ? one['default'] : undefined) ?? null]),
  );
  return { schema: optional, defaults };
}

/** Why values do not fit; none: they do. A key without a default may be null, as it was before the first write. */
export function stateErrors({ schema, defaults }: StatePlan, values: JsonObject): readonly SchemaError[] {
  const given = Object.entries(values).filter(([key, value]) => value !== null || defaults[key] !== null);
  return validator(schema).validate?.(Object.fromEntries(given)) ?? [];
}
