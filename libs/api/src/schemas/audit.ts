import * as z from 'zod';

import { CursorSchema, FlagSchema, FromTextSchema, LimitSchema, TextSchema, ToTextSchema } from './parameters.ts';
import type { Exact } from './values.ts';
import { AnyValueSchema, InstantSchema } from './values.ts';

/** What the audit trail records of the installation itself. */
export const auditedActions = [
  'audit.begun',
  'key.created',
  'key.revoked',
  'secret.set',
  'secret.deleted',
  'server.login',
  'server.logout',
  'workflow.deployed',
  'workflow.deleted',
  'schedule.paused',
  'schedule.resumed',
  'schedule.triggered',
  'schedule.backfilled',
  'runs.removed',
  'records.removed',
] as const;

export type AuditedAction = (typeof auditedActions)[number];

export const AuditEntrySchema = z
  .strictObject({
    seq: z.int(),
    at: InstantSchema,
    by: z.string().meta({ description: 'Who did it: a key by its name and, in brackets, its id.' }),
    action: z.string(),
    target: z.string(),
    detail: AnyValueSchema,
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.output<typeof AuditEntrySchema>;

export const AuditFilterSchema = z.strictObject({
  action: z.enum(auditedActions).optional(),
  by: TextSchema.optional().meta({ description: 'As it is written, or the id of a key.' }),
  target: TextSchema.optional(),
  from: FromTextSchema.optional().meta({ description: 'At this instant or later; a date is its beginning, in UTC.' }),
  to: ToTextSchema.optional().meta({ description: 'Before this instant; a date is meant to its end, in UTC.' }),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AuditExportQuerySchema = z.strictObject({
  unsealed: FlagSchema.optional().meta({ description: 'Also the journals of runs that are not over.' }),
  from: FromTextSchema.optional().meta({
    description: 'An excerpt: only what was sealed at this instant or later. It verifies for itself.',
  }),
  to: ToTextSchema.optional().meta({ description: 'And before this one; up to the seal that holds it.' }),
});

const previewMost = 200;

export const CallFilterSchema = z.strictObject({
  server: TextSchema.optional(),
  tool: TextSchema.optional().meta({ description: 'A tool, a prompt, or the address of a resource.' }),
  workflow: TextSchema.optional(),
  by: TextSchema.optional().meta({ description: 'Who started the run: as it is written, or the id of a key.' }),
  from: FromTextSchema.optional().meta({
    description: 'Begun at this instant or later; a date is its beginning, in UTC.',
  }),
  to: ToTextSchema.optional().meta({ description: 'Begun before this instant; a date is meant to its end, in UTC.' }),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AuditCallSchema = z
  .strictObject({
    at: InstantSchema,
    by: z.string().meta({ description: 'Who started the run: a key by its name and, in brackets, its id.' }),
    workflow: z.string(),
    version: z.int().optional().meta({ description: 'Absent: it was given inline.' }),
    run: z.string(),
    step: z.string(),
    attempt: z.int(),
    verb: z.enum(['tool', 'prompt', 'resource', 'sample']),
    server: z.string().optional(),
    tool: z.string().optional().meta({ description: 'The tool, the prompt, or the address of the resource.' }),
    effect: z.string().optional(),
    arguments: z.strictObject({
      sha256: z.string().meta({ description: 'Of their JSON text, as it stands in the journal; secrets are masked.' }),
      preview: z.string().meta({ description: `The first ${previewMost} characters.` }),
    }),
    outcome: z.enum(['succeeded', 'failed', 'retrying', 'unknown', 'cancelled', 'running']),
    durationMs: z.number().optional().meta({ description: 'Absent: it is under way.' }),
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
    description: 'A seal: kept elsewhere, it proves later that nothing before it was left away.',
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
      .meta({ description: 'The first place that is not as it was.' }),
    entries: z.int(),
    seals: z.int(),
    runs: z.int(),
    events: z.int(),
    removed: z.int().meta({ description: 'Runs that were removed on purpose: the audit names them.' }),
    checkpoint: CheckpointSchema,
    signedBy: z.string().optional().meta({ description: 'Id of the key that the last seal is signed with.' }),
    warnings: z.array(z.string()).meta({ description: 'Removals that today’s settings do not allow.' }),
  })
  .meta({ id: 'AuditReport' });

const KeptForSchema = z.string().meta({ description: 'A duration such as `90d`, or `forever`.' });

export const RetentionSchema = z
  .strictObject({
    runs: KeptForSchema,
    records: KeptForSchema,
    removal: z.enum(['own-role', 'setting']).meta({
      description:
        '`own-role`: Postgres lets a role of its own remove journals, and nobody else. `setting`: the installation may not make roles there, and whoever has its connection can remove them; `baton audit verify` finds it.',
    }),
    removable: z
      .strictObject({ runs: z.int(), records: z.int() })
      .meta({ description: 'What has been kept for longer, 100,000 of each at the most.' }),
  })
  .meta({ id: 'Retention' });
