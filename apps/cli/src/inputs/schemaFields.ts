/** The fields of an object schema. */
import type { JsonObject, JsonSchema } from '@baton/primitives';

import type { MissingInput } from './typedInput.ts';

/** Inputs that are required, have no default, and are not given. */
export function missingInputs(given: JsonObject, schema: JsonSchema | undefined): MissingInput[] {
  if (schema === undefined || typeof schema === 'boolean') return [];
  const { required } = schema;
  if (!Array.isArray(required)) return [];
  const properties = propertiesOf(schema);
  return (required as readonly string[])
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => ({ name, schema: properties.get(name) ?? true }))
    .filter(({ schema }) => typeof schema === 'boolean' || !('default' in schema));
}

/** Every field of a form, those with a default included. */
export function formFields(form: JsonSchema): MissingInput[] {
  const required = typeof form === 'boolean' || !Array.isArray(form['required']) ? [] : form['required'];
  return [...propertiesOf(form)].map(([name, schema]) =>
    required.includes(name) ? { name, schema } : { name, schema, isOptional: true },
  );
}

export function propertiesOf(schema: JsonSchema | undefined): ReadonlyMap<string, JsonSchema> {
  const properties = schema === undefined || typeof schema === 'boolean' ? undefined : schema['properties'];
  return new Map(Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>));
}
