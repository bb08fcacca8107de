/** Schemas of values that several requests and answers share. */
import { isWorkflowPattern, workflowNameForm, workflowNamePattern, workflowPatternForm } from '@baton/language';
import type { Json, JsonSchema } from '@baton/primitives';
import * as z from 'zod';

/** Any JSON. */
export const AnyValueSchema = z.unknown().meta({ description: 'Any JSON.' }) as z.ZodType<Json>;

/** A JSON Schema, 2020-12. */
export const JsonSchemaSchema = z.unknown().meta({ description: 'Any JSON.' }) as z.ZodType<JsonSchema>;

/** An object of any JSON. */
export const AnyObjectSchema = z.record(z.string(), AnyValueSchema);

export const InstantSchema = z.iso.datetime({ precision: 3 }).meta({ description: 'RFC 3339, UTC.' });

/** Formats epoch milliseconds as answers show them. */
export const instant = (ms: number): string => new Date(ms).toISOString();

export const RunIdSchema = z
  .guid()
  .meta({ id: 'RunId', description: 'A UUIDv7: ids of later runs sort after those of earlier ones.' });

export const WorkflowNameSchema = z
  .string()
  .regex(workflowNamePattern, workflowNameForm)
  .meta({ description: 'The name of a workflow.' });

export const WorkflowPatternSchema = z
  .string()
  .refine(isWorkflowPattern, workflowPatternForm)
  .meta({ description: 'A workflow, or a pattern of several as `payments/*`.' });

export const LargeSchema = z
  .strictObject({
    $large: z.strictObject({
      bytes: z.int().meta({ description: 'Size of its JSON text, in bytes.' }),
      preview: z.string().meta({ description: 'Start of its JSON text.' }),
      sha256: z
        .string()
        .optional()
        .meta({ description: 'Digest of its JSON text; `GET /v1/runs/{id}/values/{sha256}` returns the value.' }),
    }),
  })
  .meta({ id: 'Large', description: 'Replaces a value that is too large to show here.' });

export const FailureSchema = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    step: z.string().optional().meta({ description: 'Path of the step where the failure began.' }),
    details: AnyValueSchema.optional(),
  })
  .meta({ id: 'Failure', description: 'Why a run, step or call failed.' });

export const FindingSchema = z
  .strictObject({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    line: z.int(),
    column: z.int(),
    path: z.string().meta({ description: 'JSON pointer into the workflow.' }),
    expected: z.string().optional(),
    found: z.string().optional(),
    hint: z.string().optional(),
    frame: z.string(),
  })
  .meta({ id: 'Finding', description: 'One error or warning about a workflow.' });

export const EffectSchema = z.enum(['read', 'idempotent', 'write']);

export type Finding = Exact<z.output<typeof FindingSchema>>;

/** The type without `undefined` members, which JSON cannot express. */
export type Exact<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? Exact<Item>[]
    : T extends object
      ? { [Name in keyof T]: Exact<Exclude<T[Name], undefined>> }
      : T;

/** The schema of one page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    data: z.array(item),
    nextCursor: z.string().optional().meta({ description: 'Cursor of the next page; absent on the last page.' }),
  });

/** Any string, so that an invalid id is answered with 404 and not with 422. */
export const ByIdSchema = z.strictObject({ id: z.string() });

export const ByNameSchema = z.strictObject({ name: z.string() });

/** Of a new run that goes on from an old one. */
export const WantedVersionSchema = z
  .union([z.int().min(1).max(2_147_483_647), z.literal('latest')], { error: 'the number of a version, or "latest"' })
  .optional()
  .meta({
    description:
      'The version of the workflow for the new run. Outcomes of calls that both versions make are kept. The default is the version of the run.',
  });
