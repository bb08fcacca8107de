/** Values that recur in the document. */
import { limits } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import * as z from 'zod';

/** Any JSON value, whose texts may hold expressions. Its inside is checked elsewhere. */
export const AnyValue = z.custom<Json>();

export const ValueMap = z.record(z.string(), AnyValue);

export const Title = z.string().min(1).max(limits.document.titleCharacters);

export const Text = z.string().min(1);

/** Bare CEL; a plain `true` or `false` is one too. */
export const Condition = z.union([Text, z.boolean()]).meta({ offers: 'condition' });

/** `${{ … }}` in place of a value of the schema. */
export const computedOr = <T extends z.ZodType>(schema: T): z.ZodUnion<[T, z.ZodString]> =>
  z.union([schema, z.string().regex(/\$\{\{/, { error: 'computed' })]);

export const StateMap = ValueMap.meta({
  offers: 'schema',
  description:
    'What the workflow remembers between its runs, as properties with their types: `state.<key>` is the value at the start of a run. Without a `default` it is null until a run has written it.',
});

export const SchemaMap = ValueMap.meta({
  offers: 'schema',
  description:
    'JSON Schema of an object, or the properties alone: each is required unless it has a `default` or `optional: true`.',
});
