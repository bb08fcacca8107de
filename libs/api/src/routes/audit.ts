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
const access: Access = ['audit:read'];

export const auditRoutes = {
  listAuditEntries: route('listAuditEntries', {
    tag,
    summary: 'What was done to the installation',
    description: 'Newest first. What runs did stands in their journals.',
    access,
    query: AuditFilterSchema,
    answers: { 200: pageOf(AuditEntrySchema) },
  }),
  exportAudit: route('exportAudit', {
    tag,
    summary: 'Everything, as lines of JSON',
    description:
      'A manifest, entries, seals with their runs and journals, and an end that vouches for all lines before: `baton audit verify FILE` needs nothing else. What is finished is sealed first.',
    access,
    query: AuditExportQuerySchema,
    answers: { 200: { description: 'NDJSON.', content: { 'application/x-ndjson': { schema: z.string() } } } },
  }),
  listAuditCalls: route('listAuditCalls', {
    tag,
    summary: 'Who called which tool, when, and what came of it',
    description: 'Of the newest run first; the calls of one run in their order.',
    access,
    query: CallFilterSchema,
    answers: { 200: pageOf(AuditCallSchema) },
  }),
  getAuditKey: route('getAuditKey', {
    tag,
    summary: 'The public key that seals are signed with',
    description: 'For those who are to verify exports: keep it elsewhere than the exports.',
    access,
    answers: { 200: AuditKeySchema },
  }),
  verifyAudit: route('verifyAudit', {
    tag,
    summary: 'Find out whether the audit trail is as it was',
    description:
      'Journals, seals and entries as they stand in the database, of runs that are not over too; and what is shown beside them: rows of runs, definitions, large values, keys. What is finished is sealed afterwards, where all is as it was.',
    access,
    body: VerifyRequestSchema.nullish(),
    answers: { 200: AuditReportSchema },
  }),
  getRetention: route('getRetention', {
    tag,
    summary: 'How long what is kept, and what is removed next',
    description:
      '`BATON_KEEP_RUNS` and `BATON_KEEP_RECORDS` decide. A run is removed with all that were started by it, when the last of them is old enough and sealed; the audit says which (`runs.removed`).',
    access,
    answers: { 200: RetentionSchema },
  }),
};
