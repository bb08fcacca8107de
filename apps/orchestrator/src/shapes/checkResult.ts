/** What a check has found, and what it could prove. */
import * as z from 'zod';

import { Finding } from './values.ts';

const Verdict = z.enum(['proved', 'assumed', 'contradiction']);

const place = {
  path: z.string().meta({ description: 'JSON pointer into the workflow.' }),
  line: z.int(),
  column: z.int(),
};

const Effect = z.strictObject({
  effect: z.enum(['read', 'idempotent', 'write']),
  from: z.enum(['step', 'server', 'annotations', 'default']).meta({ description: 'Who decided it.' }),
});

const Call = z
  .strictObject({
    ...place,
    verb: z.enum(['tool', 'prompt', 'resource', 'workflow']),
    target: z.string(),
    effect: Effect.optional().meta({ description: 'Of a tool: what calling it again would do.' }),
    exists: Verdict,
    arguments: Verdict,
    reason: z.string().optional().meta({ description: 'Why something is assumed.' }),
  })
  .meta({ id: 'CheckedCall' });

const Reference = z
  .strictObject({ ...place, to: z.string().meta({ description: '`steps.<id>`' }), verdict: Verdict })
  .meta({ id: 'CheckedReference', description: 'A place that reads what a call gave.' });

export const CheckResult = z.strictObject({
  findings: z.array(Finding),
  calls: z.array(Call),
  references: z.array(Reference),
});
