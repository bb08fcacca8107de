import * as z from 'zod';

import type { Exact } from './values.ts';

const ProblemDetailSchema = z
  .strictObject({
    pointer: z.string().optional().meta({ description: 'JSON pointer into the body; `?name` for a parameter.' }),
    line: z.int().optional(),
    column: z.int().optional(),
    code: z.string(),
    severity: z.enum(['error', 'warning']).optional(),
    message: z.string(),
    expected: z.string().optional(),
    found: z.string().optional(),
    hint: z.string().optional(),
    frame: z.string().optional(),
  })
  .meta({ id: 'ProblemDetail', description: 'One error in the request.' });

/** One error in a request. Lines and columns are 1-based. */
export type ProblemDetail = Readonly<Exact<z.output<typeof ProblemDetailSchema>>>;

export const ProblemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    requestId: z.string(),
    errors: z.array(ProblemDetailSchema).optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });
