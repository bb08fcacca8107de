/**
 * Verifies an audit trail offline, with nothing but an export. Reports the first record that was changed, and how:
 * edited, missing, reordered, or cut off.
 */
import { createHash } from 'node:crypto';

import { type AuditKeys, type MarksPlace, type PublicKey, readPublicKey } from '../database/auditKeys.ts';
import { genesis } from '../journal/chain.ts';
import type { AuditProblem } from './auditProblem.ts';
import { entryHash } from './entries.ts';
import { JournalCheck } from './journalCheck.ts';
import { MarkCheck } from './markCheck.ts';
import { merkleRoot } from './merkle.ts';
import { detailIn, readRecord } from './readRecord.ts';
import { type AuditEnd, type AuditRecord, type Manifest, type Seal, leafOf, sealHash } from './record.ts';
import { Removals } from './removals.ts';
import { SignatureCheck } from './signatureCheck.ts';

export interface AuditReport {
  readonly isIntact: boolean;
  /** The first problem in the trail. */
  readonly problem?: AuditProblem;
  readonly entries: number;
  readonly seals: number;
  readonly runs: number;
  readonly events: number;
  /** Number of runs that were removed according to the audit. */
  readonly removed: number;
  /** The last seal. A copy kept elsewhere proves later that nothing up to this seal was left out. */
  readonly checkpoint: Checkpoint;
  /**
   * Id of the key with which the last seal is signed. Absent: it has no signature, or one by another key than the given.
   */
  readonly signedBy?: string;
  /**
   * Since when marks and signatures prove what is written, under the key of the last seal. Absent in exports of older
   * versions of Baton.
   */
  readonly begun?: BegunReport;
  /** That something was written before marks began; removals that today's settings do not allow, from `verifyAudit`. */
  readonly warnings: readonly string[];
}

/** `MarksPlace` for people. */
interface BegunReport extends Omit<MarksPlace, 'at'> {
  /** RFC 3339. */
  readonly at: string;
}

export interface VerifierOptions {
  /** The checkpoint of an earlier report. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The key with which the last seal must be signed; do not take it from the export itself. */
  readonly publicKey?: PublicKey | undefined;
  /** The installation's keys; with them, marks are checked too. */
  readonly keys?: AuditKeys | undefined;
}

export interface Checkpoint {
  readonly seal: number;
  readonly hash: string;
}

interface MissingRecord {
  readonly problem: AuditProblem;
  readonly isRemoved: (removals: Removals) => boolean;
}

const beginningWarning = ({ entry, at, records }: BegunReport): string =>
  `entry ${entry}: marks and signatures under this key began at ${at}; they do not prove the ${records} older records`;

/** An export that was tampered with may have any number. */
function instantText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}

/** Takes the records in order; `report` returns the result. */
export class AuditVerifier {
  readonly #checkpoint: Checkpoint | undefined;
  readonly #digest = createHash('sha256');
  readonly #counts = { entries: 0, seals: 0, runs: 0, events: 0, records: 0 };
  /** Hashes of entries by position, for comparison with the seals. An excerpt begins at a later position. */
  #entryHashes: string[] = [genesis];
  readonly #marks: MarkCheck | undefined;
  readonly #signatures: SignatureCheck;
  #problem: AuditProblem | undefined;
  #manifest: Manifest | undefined;
  #seal: Seal | undefined;
  #leaves: string[] = [];
  #places: number[] = [];
  #journal: JournalCheck | undefined;
  /** The entry or seal that was expected when a later one came. */
  #expected: { readonly what: 'entry' | 'seal'; readonly number: number } | undefined;
  #isEnded = false;
  /** Numbers of the seals whose runs were checked. */
  readonly #sealed = new Set<number>();
  readonly #removals = new Removals();
  /** Missing records before the first problem. A later entry may say that they were removed on purpose. */
  readonly #missing: MissingRecord[] = [];
  /** A problem that neither chains nor seals find; reported only if they find none. */
  #lastResort: AuditProblem | undefined;

  constructor({ checkpoint, publicKey, keys }: VerifierOptions = {}) {
    this.#checkpoint = checkpoint;
    this.#marks = keys && new MarkCheck(keys);
    this.#signatures = new SignatureCheck(publicKey ?? (keys && readPublicKey(keys.publicKey)), keys === undefined);
  }

  /** Whether any line so far was a record; a file without one is no export. */
  get hasRecords(): boolean {
    return this.#counts.records > 0;
  }

  /** Takes one line of an export, without its line break. */
  takeLine(line: string): void {
    if (this.#isEnded)
      return this.#addProblem('edited', `line ${this.#counts.records + 2}`, 'Something follows after the end.');
    const record = readRecord(line);
    if (record === undefined)
      return this.#addProblem(
        'edited',
        `line ${this.#counts.records + 1}`,
        'This line is no record of an audit trail.',
      );
    if (record.type === 'end') return this.#end(record);
    this.#digest.update(`${line}\n`);
    this.take(record);
  }

  take(record: AuditRecord): void {
    this.#counts.records += 1;
    if (this.#manifest === undefined && record.type !== 'manifest') {
      return this.#addProblem('missing', 'line 1', 'The manifest is missing.');
    }
    switch (record.type) {
      case 'manifest':
        if (this.#manifest !== undefined)
          this.#addProblem('edited', `line ${this.#counts.records}`, 'There is a second manifest.');
        return this.#takeManifest(record);
      case 'entry':
        return this.#takeEntry(record);
      case 'seal':
        return this.#takeSeal(record);
      case 'run':
        return this.#takeRun(record);
      case 'event':
        return this.#takeEvent(record);
    }
  }

  /** `isFile`: the records are an export, which has a last line with its digest. */
  report({ isFile }: { readonly isFile: boolean }): AuditReport {
    this.#closeSeal();
    this.#closeExpected();
    this.#problem = this.#missing.find(({ isRemoved }) => !isRemoved(this.#removals))?.problem ?? this.#problem;
    this.#checkWhole(isFile);
    this.#keepFirst(this.#marks?.end());
    this.#keepFirst(this.#signatures.end());
    const { records: _records, ...counts } = this.#counts;
    const removed = this.#removals.runs;
    const { number: seal, hash } = this.#lastSeal;
    const problem = this.#problem;
    const { signedBy, begun: place } = this.#signatures;
    const begun = place && { ...place, at: instantText(place.at) };
    const warnings = begun === undefined || begun.records === 0 ? [] : [beginningWarning(begun)];
    const more = { ...(problem && { problem }), ...(signedBy && { signedBy }), ...(begun && { begun }), warnings };
    return { isIntact: problem === undefined, ...counts, removed, checkpoint: { seal, hash }, ...more };
  }

  #addProblem(kind: AuditProblem['kind'], where: string, message: string): void {
    this.#problem ??= { kind, where, message };
  }

  #takeManifest(manifest: Manifest): void {
    this.#manifest = manifest;
    this.#signatures.takeManifest(manifest);
    const { from } = manifest;
    if (from === undefined) return;
    this.#entryHashes = [];
    this.#entryHashes[from.entries] = from.entryHash;
  }

  /** Number and hash of the last seal; of the one before the excerpt where it has none yet. */
  get #lastSeal(): { readonly number: number; readonly hash: string } {
    const { from } = this.#manifest ?? {};
    return this.#seal ?? { number: from?.seals ?? 0, hash: from?.sealHash ?? genesis };
  }

  #keepFirst(problem: AuditProblem | undefined): void {
    if (problem !== undefined) this.#problem ??= problem;
  }

  #takeEntry(record: Extract<AuditRecord, { type: 'entry' }>): void {
    const expected = this.#entryHashes.length;
    if (!this.#isInTurn('entry', record.seq, expected)) return;
    const head = entryHash(this.#entryHashes.at(-1) ?? genesis, record);
    const where = `entry ${expected}`;
    if (head !== record.hash) this.#addProblem('edited', where, 'The entry does not have its hash.');
    else if (detailIn(record.detail) === undefined || !this.#removals.take(record))
      this.#addProblem('edited', where, 'Its detail is not one that Baton writes.');
    this.#keepFirst(this.#marks?.takeEntry(record));
    this.#signatures.takeEntry(record);
    this.#entryHashes.push(record.hash);
    this.#counts.entries += 1;
  }

  #takeSeal(record: Extract<AuditRecord, { type: 'seal' }>): void {
    this.#closeEntries();
    this.#closeSeal();
    const expected = this.#lastSeal.number + 1;
    if (!this.#isInTurn('seal', record.number, expected)) return;
    const where = `seal ${expected}`;
    const { type: _type, ...seal } = record;
    if (sealHash(this.#lastSeal.hash, seal) !== seal.hash)
      this.#addProblem('edited', where, 'The seal does not have its hash.');
    const head = this.#entryHashes[seal.entries];
    if (head === undefined)
      this.#addProblem(
        'cut-off',
        `entry ${this.#entryHashes.length}`,
        `Seal ${expected} vouches for ${seal.entries} entries.`,
      );
    else if (head !== seal.entryHash)
      this.#addProblem('edited', `entry ${seal.entries}`, `It is not the entry that seal ${expected} vouches for.`);
    const { seal: number, hash } = this.#checkpoint ?? { seal: 0, hash: genesis };
    if (seal.number === number && seal.hash !== hash)
      this.#addProblem('edited', where, 'It is not the seal of the checkpoint.');
    this.#keepFirst(this.#signatures.takeSeal(seal));
    this.#seal = seal;
    this.#counts.seals += 1;
  }

  #takeRun(record: Extract<AuditRecord, { type: 'run' }>): void {
    this.#closeEntries();
    this.#closeJournal();
    this.#counts.runs += 1;
    this.#marks?.takeRun(record);
    // The runs of a seal that came too early cannot be checked.
    if (this.#expected !== undefined && record.seal !== null) return;
    if (record.seal === null) {
      this.#closeSeal();
      this.#closeExpected();
      this.#journal = new JournalCheck(record.id, undefined);
      return;
    }
    if (record.seal !== this.#seal?.number)
      return this.#addProblem(
        'reordered',
        `run ${record.id}`,
        `It is among the runs of another seal; its own is ${record.seal}.`,
      );
    this.#places.push(record.place);
    this.#leaves.push(leafOf(record));
    this.#journal = new JournalCheck(record.id, record);
  }

  #takeEvent(record: Extract<AuditRecord, { type: 'event' }>): void {
    this.#counts.events += 1;
    if (this.#expected !== undefined) return;
    if (this.#journal === undefined)
      return this.#addProblem('missing', `run ${record.runId}`, 'Its events are there, and the run is not.');
    this.#journal.take(record);
    this.#marks?.takeEvent(record);
  }

  /** A record that comes too early may have changed places with the expected one, so nothing is reported yet. */
  #isInTurn(what: 'entry' | 'seal', number: number, expected: number): boolean {
    if (this.#expected?.what === what) {
      if (number === this.#expected.number) {
        this.#addProblem('reordered', `${what} ${number}`, 'It comes later than it should.');
        this.#expected = undefined;
      }
      return false;
    }
    if (number === expected) return true;
    this.#closeExpected();
    this.#expected = { what, number: expected };
    return false;
  }

  #closeEntries(): void {
    if (this.#expected?.what === 'entry') this.#closeExpected();
  }

  #closeExpected(): void {
    const missing = this.#expected;
    if (missing === undefined) return;
    this.#expected = undefined;
    this.#addProblem('missing', `${missing.what} ${missing.number}`, 'It is not there, and later ones are.');
  }

  #closeJournal(): void {
    const journal = this.#journal;
    const marked = this.#marks?.endRun();
    const problem = journal?.end() ?? marked;
    this.#journal = undefined;
    if (problem === undefined) return;
    const { seal, place } = journal?.sealed ?? {};
    if (problem.kind !== 'cut-off' || seal === undefined || place === undefined) this.#problem ??= problem;
    else this.#addMissing({ problem, isRemoved: (removals) => removals.has(seal, place) });
  }

  #addMissing(missing: MissingRecord): void {
    if (this.#problem === undefined) this.#missing.push(missing);
  }

  #closeSeal(): void {
    this.#closeJournal();
    const seal = this.#seal;
    const [places, leaves] = [this.#places, this.#leaves];
    this.#places = [];
    this.#leaves = [];
    if (seal === undefined || this.#sealed.has(seal.number)) return;
    this.#sealed.add(seal.number);
    const wrong = places.findIndex((place, i) => place !== i);
    const where = `seal ${seal.number}, run ${wrong < 0 ? places.length + 1 : wrong + 1}`;
    if (wrong >= 0) {
      const kind = places.includes(wrong) ? 'reordered' : 'missing';
      this.#addProblem(kind, where, kind === 'missing' ? 'The run is not there.' : 'The run stands at another place.');
    } else if (places.length < seal.runs) {
      const problem = { kind: 'missing', where, message: `The seal holds ${seal.runs} runs.` } as const;
      const isRemoved = (removals: Removals): boolean => places.length === 0 && removals.hasAll(seal.number, seal.runs);
      this.#addMissing({ problem, isRemoved });
    } else if (merkleRoot(leaves) !== seal.root)
      this.#addProblem('edited', `seal ${seal.number}`, 'Its runs are not those that were sealed.');
  }

  #end({ records, digest }: AuditEnd): void {
    this.#isEnded = true;
    const isSame = records === this.#counts.records && digest === this.#digest.digest('hex');
    if (isSame) return;
    // Reported last: a fault that the chains or the seals find says more.
    this.#lastResort = {
      kind: 'edited',
      where: 'the file',
      message: 'Its digest differs from the one in its last line.',
    };
  }

  #checkWhole(isFile: boolean): void {
    const manifest = this.#manifest;
    if (manifest === undefined) return this.#addProblem('cut-off', 'line 1', 'There is nothing.');
    const entries = this.#counts.entries + (manifest.from?.entries ?? 0);
    const seals = this.#counts.seals + (manifest.from?.seals ?? 0);
    const { number, hash } = this.#lastSeal;
    if (entries < manifest.entries)
      this.#addProblem('cut-off', `entry ${entries + 1}`, `The manifest says ${manifest.entries} entries.`);
    if (seals < manifest.seals)
      this.#addProblem('cut-off', `seal ${number + 1}`, `The manifest says ${manifest.seals} seals.`);
    if (hash !== manifest.sealHash)
      this.#addProblem('edited', `seal ${number}`, 'It is not the last seal that the manifest names.');
    const { seal = 0 } = this.#checkpoint ?? {};
    if (seal > number) this.#addProblem('cut-off', `seal ${number + 1}`, `The checkpoint is seal ${seal}.`);
    if (isFile && !this.#isEnded)
      this.#addProblem('cut-off', `line ${this.#counts.records + 1}`, 'The end is missing.');
    if (this.#lastResort !== undefined) this.#problem ??= this.#lastResort;
  }
}
