import type { Database } from '../database/database.ts';
import { noteAction } from './entries.ts';

/** Records in the audit that a run was ended because its journal was forged. Rejects with `UnavailableError`. */
export const noteForgedRun = (
  { prisma, auditKeys, now }: Database,
  { by, runId, message }: { readonly by: string; readonly runId: string; readonly message: string },
): Promise<void> =>
  prisma.$transaction((transaction) =>
    noteAction(transaction, { auditKeys, now }, { by, action: 'run.forged', target: runId, detail: { message } }),
  );
