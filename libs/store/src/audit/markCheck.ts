/**
 * Checks that all events and entries written since marks began carry the marks of the installation. Needs the
 * installation's key.
 */
import { hash } from 'node:crypto';

import type { AuditKeys } from '../database/auditKeys.ts';
import type { AuditProblem } from './auditProblem.ts';
import type { MarksBegun } from './marksBegun.ts';
import type { AuditRecord, MarkStart } from './record.ts';

type RecordOf<Type extends AuditRecord['type']> = Extract<AuditRecord, { type: Type }>;

/** The hash of a `MarkStart`, over which its mark is computed. */
export const startHash = (runId: string, { seq, head }: Pick<MarkStart, 'seq' | 'head'>): string =>
  hash('sha256', `mark-start\n${runId}\n${seq}\n${head}`, 'hex');

/** The last event of a journal, as Postgres has it. */
export interface MarkedHead {
  /** Of the run. */
  readonly id: string;
  readonly seq: number;
  readonly head: string;
  readonly mark: string | null;
  /** The mark of the journal's `MarkStart`. */
  readonly startMark: string | null;
}

/** Checks only the mark of the last event, whose hash covers all events before it. */
export const isHeadMarked = (keys: AuditKeys, { id, seq, head, mark, startMark }: MarkedHead): boolean =>
  keys.isMarked(head, mark) || keys.isMarked(startHash(id, { seq, head }), startMark);

const unmarked =
  'It does not have the mark of this installation: its writer had access to the database, and not the secret key.';

export class MarkCheck {
  readonly #keys: AuditKeys;
  #begun: MarksBegun | undefined;
  #isEmpty = true;
  #isWanted = false;
  #start: MarkStart | undefined;
  #inJournal: AuditProblem | undefined;

  constructor(keys: AuditKeys) {
    this.#keys = keys;
  }

  /** `entry` must match its hash. */
  takeEntry(entry: RecordOf<'entry'>): AuditProblem | undefined {
    this.#isEmpty = false;
    const isMarked = this.#keys.isMarked(entry.hash, entry.mark);
    if (isMarked && entry.action === 'audit.begun' && entry.target === this.#keys.id)
      this.#begun ??= JSON.parse(entry.detail) as MarksBegun;
    if (isMarked || this.#begun === undefined) return undefined;
    return { kind: 'forged', where: `entry ${entry.seq}`, message: unmarked };
  }

  takeRun(run: RecordOf<'run'>): void {
    this.#isEmpty = false;
    this.#isWanted = this.#begun !== undefined && (run.seal === null || run.seal > this.#begun.seals);
    const { start } = run;
    this.#start = start && this.#keys.isMarked(startHash(run.id, start), start.mark) ? start : undefined;
    this.#inJournal = undefined;
  }

  takeEvent({ runId, seq, hash: head, mark }: RecordOf<'event'>): void {
    if (!this.#isWanted || this.#inJournal !== undefined || this.#keys.isMarked(head, mark)) return;
    const isBefore = this.#start !== undefined && (seq < this.#start.seq || isAt(this.#start, seq, head));
    if (!isBefore) this.#inJournal = { kind: 'forged', where: `run ${runId}, event ${seq}`, message: unmarked };
  }

  /** Returns the problem of the last journal. */
  endRun(): AuditProblem | undefined {
    const problem = this.#inJournal;
    this.#inJournal = undefined;
    return problem;
  }

  end(): AuditProblem | undefined {
    return this.#begun !== undefined || this.#isEmpty ? undefined : notBegun;
  }
}

/** No process starts without that entry, so it was removed. */
export const notBegun: AuditProblem = {
  kind: 'forged',
  where: 'entries',
  message: 'The entry that says since when this installation marks what it writes is not there: it was removed.',
};

const isAt = (start: MarkStart, seq: number, head: string): boolean => seq === start.seq && head === start.head;
