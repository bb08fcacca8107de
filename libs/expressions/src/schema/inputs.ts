/** Validates inputs against the workflow's schema, and fills in defaults. */
import { isObject, isStorableText, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { limits } from '../limits.ts';
import { childOf } from '../source/pointer.ts';
import type { SchemaError } from './explainErrors.ts';
import { isNestedDeeper } from './schemaCost.ts';
import { validator } from './validator.ts';

export type InputsResult =
  | { readonly inputs: JsonObject; readonly errors?: undefined }
  | { readonly inputs?: undefined; readonly errors: readonly SchemaError[] };

/** `value` is JSON of any shape; undefined means no inputs. */
export function validateInputs(
  { inputs: schema }: { readonly inputs: JsonSchema },
  value: Json | undefined,
): InputsResult {
  const given = value ?? {};
  const unfit = unkeepable(given);
  if (unfit.length > 0) return { errors: unfit };
  const filled = withDefaults(schema, given);
  const { validate, refusal } = validator(schema);
  const errors = validate?.(filled) ?? [{ pointer: '', message: `The inputs cannot be checked. ${refusal}` }];
  if (errors.length > 0) return { errors };
  return isObject(filled)
    ? { inputs: filled }
    : { errors: [{ pointer: '', message: 'Inputs are a map.', expected: 'a map' }] };
}

/** Fills in defaults of missing properties, also inside existing maps. */
export function withDefaults(schema: Json, value: Json): Json {
  if (!isObject(schema) || !isObject(value)) return value;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const filled: Record<string, Json> = { ...value };
  for (const [name, property] of Object.entries(properties)) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own !== undefined) filled[name] = withDefaults(property, own);
    else if (isObject(property) && property['default'] !== undefined)
      filled[name] = structuredClone(property['default']);
  }
  return filled;
}

/** Finds texts that Postgres cannot store. */
function unkeepable(value: Json): SchemaError[] {
  const { depth } = limits.document;
  if (isNestedDeeper(value, depth)) return [{ pointer: '', message: `The value is nested more than ${depth} deep.` }];
  const { inputsBytes } = limits.run;
  if (JSON.stringify(value).length > inputsBytes) {
    return [
      {
        pointer: '',
        message: `The inputs are larger than ${inputsBytes} bytes.`,
        expected: `at most ${inputsBytes} bytes`,
      },
    ];
  }
  return wrongTexts(value, '');
}

function wrongTexts(value: Json, pointer: string): SchemaError[] {
  if (typeof value === 'string')
    return isStorableText(value) ? [] : [{ pointer, message: 'A text holds a NUL or half a surrogate pair.' }];
  if (Array.isArray(value)) return value.flatMap((one: Json, i) => wrongTexts(one, childOf(pointer, i)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const at = childOf(pointer, key);
    if (!isStorableText(key)) return [{ pointer: at, message: 'A key holds a NUL or half a surrogate pair.' }];
    return wrongTexts(one, at);
  });
}
