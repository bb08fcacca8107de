/** Compiles the declaration of a workflow's state. */
import { schemaOf } from '@baton/expressions';
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
