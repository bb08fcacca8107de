/** Checks the whole database: chains, seals, marks, and every table that is derived from them. */
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import type { AuditProblem } from './auditProblem.ts';
import { auditRecords } from './auditRecords.ts';
import { type AuditReport, type Checkpoint, AuditVerifier } from './auditVerifier.ts';
import { RecordedState } from './recordedState.ts';
import { RemovalCheck } from './removalCheck.ts';
import { RowCheck } from './rowCheck.ts';
import { contentProblem } from './storedContent.ts';

export interface VerifyOptions {
  readonly nowMs: number;
  readonly checkpoint?: Checkpoint | undefined;
  /** Retention times; removals that they do not allow become warnings. `Infinity`: for ever. */
  readonly keep: { readonly runsMs: number; readonly recordsMs: number };
}

/** Only reads. Rejects with `UnavailableError`. */
export async function verifyAudit(database: Database, options: VerifyOptions): Promise<AuditReport> {
  const { nowMs, checkpoint, keep } = options;
  const verifier = new AuditVerifier({ checkpoint, keys: database.auditKeys });
  const rows = new RowCheck(database);
  const recorded = new RecordedState();
  const removals = new RemovalCheck(keep);
  let inRows: AuditProblem | undefined;
  for await (const record of auditRecords(database, { nowMs, isWithUnsealed: true, isWithMarks: true })) {
    verifier.take(record);
    if (record.type === 'entry') {
      recorded.take(record);
      removals.take(record);
    }
    inRows ??= await rows.take(record);
  }
  const verified = verifier.report({ isFile: false });
  const report = { ...verified, warnings: [...verified.warnings, ...removals.warnings] };
  if (!report.isIntact) return report;
  const problem =
    inRows ??
    (await rows.end()) ??
    (await orphan(database)) ??
    (await recorded.problem(database)) ??
    (await contentProblem(database));
  return problem === undefined ? report : { ...report, isIntact: false, problem };
}

/** Finds a journal without a row of its run. */
async function orphan({ pool }: Database): Promise<AuditProblem | undefined> {
  const [found] = await queryRows<{ id: string }>(
    pool,
    `select run_id as id from run_event where seq = 1 and not exists (select from run where id = run_id) limit 1`,
  );
  return found && { kind: 'missing', where: `run ${found.id}`, message: 'Its journal exists, but its row is missing.' };
}
