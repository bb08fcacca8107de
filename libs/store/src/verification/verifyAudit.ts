/** Checks the whole database: chains, seals, marks, and every table that is derived from them. */
import type { AuditProblem } from '../audit/auditProblem.ts';
import { auditRecords } from '../audit/auditRecords.ts';
import { type AuditReport, type Checkpoint, AuditVerifier } from '../audit/auditVerifier.ts';
import type { ChainedEntry } from '../audit/entries.ts';
import { detailIn } from '../audit/readRecord.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { RecordedState } from './recordedState.ts';
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

const warningsMax = 20;

class RemovalCheck {
  readonly #keep: { readonly runsMs: number; readonly recordsMs: number };
  readonly #warnings: string[] = [];
  #more = 0;

  /** The retention times of today's settings, in milliseconds; `Infinity`: for ever. */
  constructor(keep: { readonly runsMs: number; readonly recordsMs: number }) {
    this.#keep = keep;
  }

  get warnings(): readonly string[] {
    return this.#more === 0 ? this.#warnings : [...this.#warnings, `and ${this.#more} more removals like these`];
  }

  take({ seq, at, action, detail }: Pick<ChainedEntry, 'seq' | 'at' | 'action' | 'detail'>): void {
    if (action !== 'runs.removed' && action !== 'records.removed') return;
    const { endedBefore, before } = detailIn(detail) ?? {};
    const instant = endedBefore ?? before;
    const upTo = typeof instant === 'string' ? instant : 'an unknown time';
    const [setting, keptMs] =
      action === 'runs.removed'
        ? (['BATON_KEEP_RUNS', this.#keep.runsMs] as const)
        : (['BATON_KEEP_RECORDS', this.#keep.recordsMs] as const);
    const limit = Date.parse(upTo);
    // The entry is written a moment after the limit was computed, perhaps by a process with another clock.
    if (at - limit >= keptMs - clockToleranceMs) return;
    if (this.#warnings.length === warningsMax) this.#more += 1;
    else this.#warnings.push(`entry ${seq}: ${action} up to ${upTo}, which ${setting} does not allow now`);
  }
}

const clockToleranceMs = 60_000;
