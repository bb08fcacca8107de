import * as z from 'zod';

import { CursorSchema, FlagSchema, InstantTextSchema, LimitSchema, TextSchema } from './parameters.ts';
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
  from: InstantTextSchema.optional(),
  to: InstantTextSchema.optional(),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AuditExportQuerySchema = z.strictObject({
  unsealed: FlagSchema.optional().meta({ description: 'Also the journals of runs that are not over.' }),
});

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
        kind: z.enum(['edited', 'missing', 'reordered', 'cut-off']),
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
  })
  .meta({ id: 'AuditReport' });

const KeptForSchema = z.string().meta({ description: 'A duration such as `90d`, or `forever`.' });

export const RetentionSchema = z
  .strictObject({
    runs: KeptForSchema,
    records: KeptForSchema,
    removable: z
      .strictObject({ runs: z.int(), records: z.int() })
      .meta({ description: 'What has been kept for longer, 100,000 of each at the most.' }),
  })
  .meta({ id: 'Retention' });
