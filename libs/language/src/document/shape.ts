/** A map with known keys and no others. */
import * as z from 'zod';

/** By its name: an unknown key is compared with the keys of the shape. */
const shapes = new Map<string, z.ZodObject>();

/** The issue about an unknown key, or about another kind of value, contains `name`, so that `explain` knows the shape. */
export function shape<Fields extends z.core.$ZodLooseShape>(
  name: string,
  fields: Fields,
): z.ZodObject<Fields, z.core.$strict> {
  const made = z.strictObject(fields, {
    error: ({ code }) => (code === 'unrecognized_keys' || code === 'invalid_type' ? name : undefined),
  });
  shapes.set(name, made);
  return made;
}

export const keysOf = (name: string): readonly string[] => Object.keys(shapes.get(name)?.shape ?? {});

/** The first key with which the value alone is a map of this shape. */
export const keyFor = (name: string, value: unknown): string | undefined =>
  keysOf(name).find((key) => shapes.get(name)?.safeParse({ [key]: value }).success === true);

/** The subject of a choice. */
export type DocumentChoice = 'verb' | 'read' | 'trigger' | 'wait' | 'case';

/**
 * One of several shapes, distinguished by which of their keys is present: a step by its verb, a trigger by its kind.
 * Only that shape is tried, so an error is about what was meant, and nesting costs no more than its size. `definitions`
 * are the names of the shapes in the JSON Schema; `tell` filters the keys that decide the shape.
 */
export function oneByKey<T>(
  what: DocumentChoice,
  shapes: () => Readonly<Record<string, z.ZodType>>,
  definitions: readonly string[],
  tell: (given: object, present: readonly string[]) => readonly string[] = (_, present) => present,
): z.ZodCustom<T, T> {
  return z
    .custom<T>()
    .check((ctx) => {
      const given: unknown = ctx.value;
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        ctx.issues.push({ code: 'invalid_type', expected: 'object', input: given });
        return;
      }
      const all = shapes();
      const present = tell(
        given,
        Object.keys(given).filter((key) => Object.hasOwn(all, key)),
      );
      const [only] = present;
      if (only === undefined || present.length > 1) {
        ctx.issues.push({ code: 'custom', input: given, params: { choice: what, present, choices: Object.keys(all) } });
        return;
      }
      const result = all[only]?.safeParse(given);
      for (const issue of result?.error?.issues ?? []) ctx.issues.push({ ...issue, input: undefined });
    })
    .meta({ anyOf: definitions.map((name) => ({ $ref: `#/$defs/${name}` })), choices: Object.keys(shapes()) });
}
