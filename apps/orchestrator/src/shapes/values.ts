/** What answers are made of. These schemas are the OpenAPI document, and the tests hold every answer to them. */
import * as z from 'zod';

/** Anything that JSON can say. */
export const AnyValue = z.unknown().meta({ description: 'Any JSON.' });

export const Instant = z.iso.datetime({ precision: 3 }).meta({ description: 'RFC 3339, UTC.' });

export const instant = (ms: number): string => new Date(ms).toISOString();

export const RunId = z
  .guid()
  .meta({ id: 'RunId', description: 'A UUIDv7: ids of later runs sort after those of earlier ones.' });

export const WorkflowName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower case letters, digits and hyphens, at most 63, the first not a hyphen')
  .meta({ description: 'The name of a workflow.' });

/** Stands in for a value that is too large to be shown here. */
export const Large = z
  .strictObject({
    $large: z.strictObject({
      bytes: z.int().meta({ description: 'Of its JSON text.' }),
      preview: z.string().meta({ description: 'The beginning of its JSON text.' }),
      sha256: z
        .string()
        .optional()
        .meta({ description: 'Of its JSON text, which `GET /v1/runs/{id}/values/{sha256}` answers.' }),
    }),
  })
  .meta({ id: 'Large', description: 'Stands in for a value that is too large to be shown here.' });

export const Failure = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    step: z.string().optional().meta({ description: 'Path of the step that it began at.' }),
    details: AnyValue.optional(),
  })
  .meta({ id: 'Failure', description: 'Why something did not succeed.' });

export const Finding = z
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
  .meta({ id: 'Finding', description: 'One thing that is wrong, or doubtful, in a workflow.' });

/** A list, cut into pages. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    data: z.array(item),
    nextCursor: z.string().optional().meta({ description: 'For the next page; absent on the last one.' }),
  });
