import * as z from 'zod';

import { auditedActions } from './auditedActions.ts';
import { CursorSchema, FlagSchema, FromTextSchema, LimitSchema, TextSchema, ToTextSchema } from './parameters.ts';
import { callOutcomes } from './runFilter.ts';
import { type Exact, AnyValueSchema, EffectSchema, InstantSchema, WorkflowPatternSchema } from './values.ts';

export const AuditEntrySchema = z
  .strictObject({
    seq: z.int(),
    at: InstantSchema,
    by: z.string().meta({ description: 'Who did it: a person or a key by the name and, in brackets, the id.' }),
    via: z.string().optional().meta({ description: 'The key or client through which a person did it.' }),
    action: z.string(),
    target: z.string(),
    detail: AnyValueSchema,
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.output<typeof AuditEntrySchema>;

export const AuditFilterSchema = z.strictObject({
  action: z.enum(auditedActions).optional(),
  by: TextSchema.optional().meta({ description: 'Who did it, as `by` shows it, or the id of a person or a key.' }),
  target: TextSchema.optional(),
  from: FromTextSchema.optional().meta({ description: 'At this time or later; a date means its start, in UTC.' }),
  to: ToTextSchema.optional().meta({ description: 'Before this time; a date includes the whole day, in UTC.' }),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AuditExportQuerySchema = z.strictObject({
  unsealed: FlagSchema.optional().meta({ description: 'Include the journals of unfinished runs.' }),
  from: FromTextSchema.optional().meta({
    description: 'Only records sealed at this time or later. The excerpt can be verified alone.',
  }),
  to: ToTextSchema.optional().meta({
    description: 'Only records sealed before this time, including the whole seal around it.',
  }),
});

const previewMax = 200;

const CallOutcomeSchema = z.enum(callOutcomes);

export const CallFilterSchema = z.strictObject({
  server: TextSchema.optional(),
  tool: TextSchema.optional().meta({ description: 'Name of a tool or prompt, or address of a resource.' }),
  workflow: WorkflowPatternSchema.optional(),
  effect: EffectSchema.optional(),
  outcome: CallOutcomeSchema.optional().meta({
    description: '`unknown`: the answer was lost; whether it was found out later, `listUnknownOutcomes` says.',
  }),
  by: TextSchema.optional().meta({
    description: 'Who started the run, as `by` shows it, or the id of a person or a key.',
  }),
  from: FromTextSchema.optional().meta({
    description: 'Started at this time or later; a date means its start, in UTC.',
  }),
  to: ToTextSchema.optional().meta({ description: 'Started before this time; a date includes the whole day, in UTC.' }),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AuditCallSchema = z
  .strictObject({
    at: InstantSchema,
    by: z
      .string()
      .meta({ description: 'Who started the run: a person or a key by the name and, in brackets, the id.' }),
    via: z.string().optional().meta({ description: 'The key or client through which a person did it.' }),
    workflow: z.string(),
    version: z.int().optional().meta({ description: 'Absent if the workflow was sent with the request.' }),
    run: z.string(),
    step: z.string(),
    attempt: z.int(),
    verb: z.enum(['tool', 'prompt', 'resource', 'sample']),
    server: z.string().optional(),
    tool: z.string().optional().meta({ description: 'The tool, the prompt, or the address of the resource.' }),
    effect: z.string().optional(),
    arguments: z.strictObject({
      sha256: z
        .string()
        .meta({ description: 'Digest of the arguments’ JSON text in the journal; secrets are masked.' }),
      preview: z.string().meta({ description: `The first ${previewMax} characters.` }),
    }),
    login: z.string().optional().meta({
      description:
        'Whose login it used, at a server where people have their own. Absent also where its end is not known.',
    }),
    outcome: CallOutcomeSchema,
    durationMs: z.number().optional().meta({ description: 'Absent while the call is running.' }),
  })
  .meta({ id: 'AuditCall' });

export type AuditCall = Exact<z.output<typeof AuditCallSchema>>;

export const AuditKeySchema = z
  .strictObject({
    id: z.string(),
    algorithm: z.literal('Ed25519'),
    publicKey: z.string().meta({ description: 'PEM.' }),
  })
  .meta({ id: 'AuditKey' });

const CheckpointSchema = z
  .strictObject({ seal: z.int().min(0), hash: z.string().regex(/^[\da-f]{64}$/, '64 hexadecimal digits') })
  .meta({
    id: 'Checkpoint',
    description: 'A seal. Store it elsewhere: a later verification with it proves that nothing before it is missing.',
  });

export const VerifyRequestSchema = z.strictObject({ checkpoint: CheckpointSchema.optional() });

export const AuditReportSchema = z
  .strictObject({
    isIntact: z.boolean(),
    problem: z
      .strictObject({
        kind: z.enum(['edited', 'missing', 'reordered', 'cut-off', 'forged']),
        where: z.string(),
        message: z.string(),
      })
      .optional()
      .meta({
        description:
          'The first place that was changed. `forged`: it has no valid mark or signature of this installation.',
      }),
    entries: z.int(),
    seals: z.int(),
    runs: z.int(),
    events: z.int(),
    removed: z.int().meta({ description: 'Number of runs that retention removed; the audit trail lists them.' }),
    checkpoint: CheckpointSchema,
    signedBy: z.string().optional().meta({ description: 'Id of the key that signed the last seal.' }),
    begun: z.strictObject({ entry: z.int(), at: InstantSchema, records: z.int() }).optional().meta({
      description:
        'Since when marks and signatures prove what is written: from which entry on. `records`: the older entries, seals and journals, which they do not prove.',
    }),
    warnings: z.array(z.string()).meta({
      description: 'That something was written before marks began; removals that today’s settings do not allow.',
    }),
  })
  .meta({ id: 'AuditReport' });

const KeptForSchema = z.string().meta({ description: 'A duration such as `90d`, or `forever`.' });

export const RetentionSchema = z
  .strictObject({
    runs: KeptForSchema,
    records: KeptForSchema,
    removal: z.enum(['own-role', 'setting']).meta({
      description:
        '`own-role`: only a separate Postgres role can remove journals. `setting`: the installation may not create roles, so its own connection can remove them; `baton audit verify` finds it.',
    }),
    removable: z
      .strictObject({ runs: z.int(), records: z.int() })
      .meta({ description: 'Number of older runs and records; at most 100,000 of each are counted.' }),
  })
  .meta({ id: 'Retention' });
