/**
 * What of a schema takes the longer, the larger the value is: told from the schema, and charged where it is applied.
 */
import { isObject } from '@baton/primitives';

import type { Json, JsonObject } from '../json.ts';
import type { Weights } from './spend.ts';

/** A key is held against the names that are listed. */
const namesPerUnit = 24;
/** Characters are counted one by one. */
const charactersPerUnit = 5;
/** Values that are looked at until one is the same, parts of one that is compared, keys that are asked for. */
const valuesPerUnit = 1;

/** Undefined where it is the same for every value. */
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

/** Of a value that others are compared with. It is inside a schema, so it is not nested deep. */
function partsOf(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values<Json>(value).reduce<number>((sum, one) => sum + 1 + partsOf(one), 0);
}
