import * as z from 'zod';

import { route } from '../route.ts';
import {
  AuditCallSchema,
  AuditEntrySchema,
  AuditExportQuerySchema,
  AuditFilterSchema,
  AuditKeySchema,
  AuditReportSchema,
  CallFilterSchema,
  RetentionSchema,
  VerifyRequestSchema,
} from '../schemas/audit.ts';
import { pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Audit';
const access = ['audit:read'] as const satisfies Access;

export const auditRoutes = {
  listAuditEntries: route('listAuditEntries', {
    tag,
    summary: 'List changes to the installation',
    description:
      'Newest first: who deployed, made a key, set a secret. The journals of runs record the actions of runs.',
    access,
    query: AuditFilterSchema,
    answers: { 200: pageOf(AuditEntrySchema) },
  }),
  exportAudit: route('exportAudit', {
    tag,
    summary: 'Export the audit trail as lines of JSON',
    description:
      'A manifest, entries, seals with their runs and journals, and a last line with a digest of all lines before it. `baton audit verify FILE` needs only this file. Baton seals finished runs before it exports.',
    access,
    query: AuditExportQuerySchema,
    answers: { 200: { description: 'NDJSON.', content: { 'application/x-ndjson': { schema: z.string() } } } },
  }),
  listAuditCalls: route('listAuditCalls', {
    tag,
    summary: 'List tool calls: who made them, when, and how they ended',
    description: 'Newest runs first, and the newest call of a run first.',
    access,
    query: CallFilterSchema,
    answers: { 200: pageOf(AuditCallSchema) },
  }),
  getAuditKey: route('getAuditKey', {
    tag,
    summary: 'Show the public key that verifies seals',
    description: 'To verify exports with it, store it apart from them.',
    access,
    answers: { 200: AuditKeySchema },
  }),
  verifyAudit: route('verifyAudit', {
    tag,
    summary: 'Verify the audit trail',
    description:
      'Verifies the database: journals, seals and entries, also of unfinished runs, and the tables derived from them (rows of runs, definitions, large values, keys). If all is intact, Baton then seals finished runs.',
    access,
    body: VerifyRequestSchema.nullish(),
    answers: { 200: AuditReportSchema },
  }),
  getRetention: route('getRetention', {
    tag,
    summary: 'Show how long runs are kept, and what is removed next',
    description:
      '`BATON_KEEP_RUNS` and `BATON_KEEP_RECORDS` set the times. Baton removes a run together with all runs that it started, once the last of them is old enough and sealed. The audit trail lists removed runs (`runs.removed`).',
    access,
    answers: { 200: RetentionSchema },
  }),
};
