/** Finds where a value that can be null meets a schema that takes no null. */
import { type Type, types, quoted } from '@baton/expressions';
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { type TypeFit, fitType } from './fitType.ts';
import { propertiesOf, resolvedSchema } from './schemaParts.ts';

export interface UnfitNull {
  /** The schema that takes no null. */
  readonly schema: JsonObject;
  /** Where it is in the value: ` in each item`, ` in "name"`, or nothing for the value itself. */
  readonly inside: string;
}

/** Undefined where the type can be no null, or is nothing else, and where the schema takes null or may take it. */
export function unfitNull(fitting: TypeFit, type: Type, written: Json | undefined): UnfitNull | undefined {
  const schema = resolvedSchema(written, fitting.root);
  if (schema === undefined || fitting.budget.left-- <= 0) return undefined;
  if (types.mayBeNull(type) && fitType(fitting, types.nothing, schema) === 'contradiction')
    return { schema, inside: '' };
  for (const one of types.alternatives(type)) {
    const found = unfitInside(fitting, one, schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unfitInside(fitting: TypeFit, type: Type, schema: JsonObject): UnfitNull | undefined {
  if (type.kind === 'list') {
    const found = isObject(schema['items']) ? unfitNull(fitting, type.of, schema['items']) : undefined;
    return found && { ...found, inside: ` in each item${found.inside}` };
  }
  if (type.kind !== 'map') return undefined;
  const properties = propertiesOf(schema) ?? {};
  for (const [key, field] of type.fields) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const found = property === undefined ? undefined : unfitNull(fitting, field.type, property);
    if (found !== undefined) return { ...found, inside: ` in ${quoted(key)}${found.inside}` };
  }
  return undefined;
}
