/** Schemas of workflows, checks and deployments. */
import * as z from 'zod';

import { FlagSchema } from './parameters.ts';
import { ScheduleChangeSchema } from './schedule.ts';
import {
  type Exact,
  JsonSchemaSchema,
  AnyValueSchema,
  EffectSchema,
  FindingSchema,
  InstantSchema,
  WorkflowNameSchema,
} from './values.ts';

const VerdictSchema = z.enum(['proved', 'assumed', 'contradiction']);

const place = {
  path: z.string().meta({ description: 'JSON pointer into the workflow.' }),
  line: z.int(),
  column: z.int(),
};

const CheckedEffectSchema = z.strictObject({
  effect: EffectSchema,
  from: z.enum(['step', 'server', 'annotations', 'default']).meta({ description: 'Who decided it.' }),
  idempotency: z
    .union([z.literal('meta'), z.strictObject({ argument: z.string() })])
    .optional()
    .meta({ description: 'How the server recognises a repeated call: a write may then be repeated with its key.' }),
});

const CheckedCallSchema = z
  .strictObject({
    ...place,
    verb: z.enum(['tool', 'prompt', 'resource', 'workflow']),
    target: z.string(),
    effect: CheckedEffectSchema.optional().meta({
      description: 'Effect of the tool: `read`, `idempotent` or `write`.',
    }),
    exists: VerdictSchema,
    arguments: VerdictSchema,
    reason: z.string().optional().meta({ description: 'Why Baton assumes this.' }),
  })
  .meta({ id: 'CheckedCall' });

const CheckedReferenceSchema = z
  .strictObject({ ...place, to: z.string().meta({ description: '`steps.<id>`' }), verdict: VerdictSchema })
  .meta({ id: 'CheckedReference', description: 'An expression that reads the output of a call.' });

export const CheckResultSchema = z.strictObject({
  findings: z.array(FindingSchema),
  calls: z.array(CheckedCallSchema),
  references: z.array(CheckedReferenceSchema),
});

export const CheckQuerySchema = z.strictObject({
  servers: FlagSchema.optional().meta({
    description: 'Also check against the servers that the workflow names; needs `workflows:write` or `servers:read`.',
  }),
});

const DigestSchema = z.string().meta({ description: 'Digest of the text and of the tool definitions that it uses.' });

export const DeployedSchema = z
  .strictObject({
    id: WorkflowNameSchema,
    version: z.int(),
    digest: DigestSchema,
    findings: z.array(FindingSchema),
    schedules: z.array(ScheduleChangeSchema).meta({ description: 'In order of the file, then those that are gone.' }),
  })
  .meta({ id: 'Deployed' });

const summary = {
  id: WorkflowNameSchema,
  title: z.string().optional(),
  description: z.string().optional(),
  version: z.int().meta({ description: 'The newest.' }),
  createdAt: InstantSchema,
  deployedAt: InstantSchema,
  pausedAt: InstantSchema.optional().meta({ description: 'Since when no trigger starts it.' }),
  pausedBy: z.string().optional(),
  drift: z
    .strictObject({
      servers: z.array(z.string()),
      blocked: z.literal(true).optional().meta({ description: 'New runs are refused.' }),
    })
    .optional()
    .meta({
      description:
        'Servers whose tools have changed since the newest version was checked, as far as this process has read them.',
    }),
};

export const WorkflowInListSchema = z.strictObject(summary).meta({ id: 'WorkflowInList' });

const version = {
  digest: DigestSchema,
  format: z.enum(['yaml', 'json']),
  source: z.string().meta({ description: 'The text as it was deployed.' }),
  inputs: JsonSchemaSchema.meta({ description: 'JSON Schema of the inputs.' }),
  pins: AnyValueSchema.meta({ description: 'By `server/tool`: effect, who decided it, digests of the definition.' }),
  findings: z.array(FindingSchema),
  deployedBy: z.string(),
};

export const WorkflowSchema = z.strictObject({ ...summary, ...version }).meta({ id: 'Workflow' });

const { id, deployedAt } = summary;

export const WorkflowVersionSchema = z
  .strictObject({ id, version: z.int(), ...version, deployedAt })
  .meta({ id: 'WorkflowVersion' });

export type CheckResult = Exact<z.output<typeof CheckResultSchema>>;
export type Deployed = Exact<z.output<typeof DeployedSchema>>;
export type WorkflowInList = Exact<z.output<typeof WorkflowInListSchema>>;
export type Workflow = Exact<z.output<typeof WorkflowSchema>>;
export type WorkflowVersion = Exact<z.output<typeof WorkflowVersionSchema>>;

export const ByWorkflowSchema = z.strictObject({ id: WorkflowNameSchema });

export const ByVersionSchema = z.strictObject({
  id: WorkflowNameSchema,
  version: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number),
});
