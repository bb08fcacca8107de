/** Finds keywords whose cost grows with the value, in a schema; `Spend` charges it when they are applied. */
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import type { Weights } from './spend.ts';

/** Each key is compared with the listed names. */
const namesPerUnit = 24;
/** Characters are counted individually. */
const charactersPerUnit = 5;
/** Values that are compared until one is equal, parts of a compared value, and required keys. */
const valuesPerUnit = 1;

/** Undefined if the cost is the same for every value. */
export function weightsOf(schema: JsonObject): Weights | undefined {
  const has = (keyword: string): number => (schema[keyword] === undefined ? 0 : 1);
  const { properties, required, enum: values, const: constant } = schema;
  const named = has('additionalProperties') + has('patternProperties') + has('unevaluatedProperties');
  const counted = has('minProperties') + has('maxProperties') + has('propertyNames');
  const names = isObject(properties) ? Object.keys(properties).length : 0;
  const listed = (Array.isArray(required) ? required.length : 0) + partsOf(values) + partsOf(constant);
  const weights: Weights = {
    fixed: listed / valuesPerUnit,
    perCharacter: (has('minLength') + has('maxLength')) / charactersPerUnit,
    passes: named + counted,
    perKey: (named * names) / namesPerUnit,
  };
  return weights.fixed + weights.perCharacter + weights.passes > 0 ? weights : undefined;
}

/** The number of parts of a value that others are compared with. It is inside a schema, so it nests little. */
function partsOf(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values<Json>(value).reduce<number>((sum, one) => sum + 1 + partsOf(one), 0);
}
