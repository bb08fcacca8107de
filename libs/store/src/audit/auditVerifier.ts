/**
 * Verifies an audit trail offline, with nothing but an export. Reports the first record that was changed, and how:
 * edited, missing, reordered, or cut off.
 */
import { createHash } from 'node:crypto';

import { genesis } from '../journal/chain.ts';
import type { AuditKeys, PublicKey } from './auditKeys.ts';
import { readPublicKey } from './auditKeys.ts';
import type { AuditProblem } from './auditProblem.ts';
import { entryHash } from './entries.ts';
import { JournalCheck } from './journalCheck.ts';
import { MarkCheck } from './markCheck.ts';
import { merkleRoot } from './merkle.ts';
import type { AuditRecord, Manifest, Seal } from './record.ts';
import { leafOf, sealHash } from './record.ts';
import { Removals } from './removals.ts';
import { SignatureCheck } from './signatureCheck.ts';

export interface AuditReport {
  readonly isIntact: boolean;
  /** The first one. */
  readonly problem?: AuditProblem;
  readonly entries: number;
  readonly seals: number;
  readonly runs: number;
  readonly events: number;
  /** Runs of which the audit says that they were removed. */
  readonly removed: number;
  /** The last seal: kept elsewhere, it proves later that nothing up to it was left away. */
  readonly checkpoint: Checkpoint;
  /**
   * Id of the key that the last seal is signed with. Absent: it is not signed, or with another key than the one given.
   */
  readonly signedBy?: string;
  /** Removals that today's settings do not allow; only where a server looked. */
  readonly warnings?: readonly string[];
}

export interface VerifierOptions {
  /** Of an earlier report. */
  readonly checkpoint?: Checkpoint | undefined;
  /** With which the last seal must be signed, had from elsewhere than the export. */
  readonly publicKey?: PublicKey | undefined;
  /** Of the installation: then marks are looked at too. */
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

/** Takes record after record; ask for the report at the end. */
export class AuditVerifier {
  readonly #checkpoint: Checkpoint | undefined;
  readonly #digest = createHash('sha256');
  readonly #counts = { entries: 0, seals: 0, runs: 0, events: 0, records: 0 };
  /** By position; what seals say of entries is held against it. Of an excerpt, from where it begins. */
  #entryHashes: string[] = [genesis];
  readonly #marks: MarkCheck | undefined;
  readonly #signatures: SignatureCheck;
  #problem: AuditProblem | undefined;
  #manifest: Manifest | undefined;
  #seal: Seal | undefined;
  #leaves: string[] = [];
  #places: number[] = [];
  #journal: JournalCheck | undefined;
  /** An entry, or a seal, that came before its turn. */
  #early: { readonly what: 'entry' | 'seal'; readonly number: number } | undefined;
  #isEnded = false;
  /** Seals whose runs were looked at. */
  readonly #sealed = new Set<number>();
  readonly #removals = new Removals();
  /** Before any problem; not a problem where an entry says that it was removed, which may be yet to come. */
  readonly #missing: MissingRecord[] = [];
  /** What neither chains nor seals find. */
  #late: AuditProblem | undefined;

  constructor({ checkpoint, publicKey, keys }: VerifierOptions = {}) {
    this.#checkpoint = checkpoint;
    this.#marks = keys && new MarkCheck(keys);
    this.#signatures = new SignatureCheck(publicKey ?? (keys && readPublicKey(keys.publicKey)), keys === undefined);
  }

  /** One line of an export, without its break. */
  takeLine(line: string): void {
    const record = recordIn(line);
    if (record === undefined)
      return this.#found('edited', `line ${this.#counts.records + 1}`, 'This line is no record of an audit trail.');
    if (record.type === 'end') return this.#end(record);
    this.#digest.update(`${line}\n`);
    this.take(record);
  }

  take(record: AuditRecord): void {
    if (this.#isEnded) this.#found('edited', `line ${this.#counts.records + 2}`, 'Something follows after the end.');
    this.#counts.records += 1;
    if (this.#manifest === undefined && record.type !== 'manifest') {
      return this.#found('missing', 'line 1', 'The manifest is missing.');
    }
    switch (record.type) {
      case 'manifest':
        if (this.#manifest !== undefined)
          this.#found('edited', `line ${this.#counts.records}`, 'There is a second manifest.');
        return this.#takeManifest(record);
      case 'entry':
        return this.#takeEntry(record);
      case 'seal':
        return this.#takeSeal(record);
      case 'run':
        return this.#takeRun(record);
      case 'event':
        return this.#takeEvent(record);
      case 'end':
        return this.#end(record);
    }
  }

  /** `isFile`: an export, which has an end of its own. */
  report({ isFile }: { readonly isFile: boolean }): AuditReport {
    this.#closeSeal();
    this.#closeEarly();
    this.#problem = this.#missing.find(({ isRemoved }) => !isRemoved(this.#removals))?.problem ?? this.#problem;
    this.#checkWhole(isFile);
    this.#note(this.#marks?.end());
    this.#note(this.#signatures.end());
    const { records: _records, ...counts } = this.#counts;
    const removed = this.#removals.runs;
    const { number: seal, hash } = this.#lastSeal;
    const problem = this.#problem;
    const { signedBy } = this.#signatures;
    const more = { ...(problem && { problem }), ...(signedBy && { signedBy }) };
    return { isIntact: problem === undefined, ...counts, removed, checkpoint: { seal, hash }, ...more };
  }

  #found(kind: AuditProblem['kind'], where: string, message: string): void {
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

  /** Of the seal before. */
  get #lastSeal(): { readonly number: number; readonly hash: string } {
    const { from } = this.#manifest ?? {};
    return this.#seal ?? { number: from?.seals ?? 0, hash: from?.sealHash ?? genesis };
  }

  #note(problem: AuditProblem | undefined): void {
    if (problem !== undefined) this.#problem ??= problem;
  }

  #takeEntry(record: Extract<AuditRecord, { type: 'entry' }>): void {
    const expected = this.#entryHashes.length;
    if (!this.#isInTurn('entry', record.seq, expected)) return;
    const head = entryHash(this.#entryHashes.at(-1) ?? genesis, record);
    if (head !== record.hash) this.#found('edited', `entry ${expected}`, 'The entry does not have its hash.');
    else this.#removals.take(record);
    this.#note(this.#marks?.takeEntry(record));
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
      this.#found('edited', where, 'The seal does not have its hash.');
    const head = this.#entryHashes[seal.entries];
    if (head === undefined)
      this.#found(
        'cut-off',
        `entry ${this.#entryHashes.length}`,
        `Seal ${expected} vouches for ${seal.entries} entries.`,
      );
    else if (head !== seal.entryHash)
      this.#found('edited', `entry ${seal.entries}`, `It is not the entry that seal ${expected} vouches for.`);
    const { seal: number, hash } = this.#checkpoint ?? { seal: 0, hash: genesis };
    if (seal.number === number && seal.hash !== hash)
      this.#found('edited', where, 'It is not the seal of the checkpoint.');
    this.#note(this.#signatures.takeSeal(seal, this.#marks?.mustBeSigned(seal.number) === true));
    this.#seal = seal;
    this.#counts.seals += 1;
  }

  #takeRun(record: Extract<AuditRecord, { type: 'run' }>): void {
    this.#closeEntries();
    this.#closeJournal();
    this.#counts.runs += 1;
    this.#marks?.takeRun(record);
    // Of a seal that came too early nothing can be said.
    if (this.#early !== undefined && record.seal !== null) return;
    if (record.seal === null) {
      this.#closeSeal();
      this.#closeEarly();
      this.#journal = new JournalCheck(record.id, undefined);
      return;
    }
    if (record.seal !== this.#seal?.number)
      return this.#found(
        'reordered',
        `run ${record.id}`,
        `It stands among the runs of another seal than its own, ${record.seal}.`,
      );
    this.#places.push(record.place);
    this.#leaves.push(leafOf(record));
    this.#journal = new JournalCheck(record.id, record);
  }

  #takeEvent(record: Extract<AuditRecord, { type: 'event' }>): void {
    this.#counts.events += 1;
    if (this.#early !== undefined) return;
    if (this.#journal === undefined)
      return this.#found('missing', `run ${record.runId}`, 'Its events are there, and the run is not.');
    this.#journal.take(record);
    this.#marks?.takeEvent(record);
  }

  /** A record that comes too early may only have changed places with a missing one. */
  #isInTurn(what: 'entry' | 'seal', number: number, expected: number): boolean {
    if (this.#early?.what === what) {
      if (number === this.#early.number) {
        this.#found('reordered', `${what} ${number}`, 'It comes later than it should.');
        this.#early = undefined;
      }
      return false;
    }
    if (number === expected) return true;
    this.#closeEarly();
    this.#early = { what, number: expected };
    return false;
  }

  #closeEntries(): void {
    if (this.#early?.what === 'entry') this.#closeEarly();
  }

  #closeEarly(): void {
    const early = this.#early;
    if (early === undefined) return;
    this.#early = undefined;
    this.#found('missing', `${early.what} ${early.number}`, 'It is not there, and later ones are.');
  }

  #closeJournal(): void {
    const journal = this.#journal;
    const marked = this.#marks?.endRun();
    const problem = journal?.end() ?? marked;
    this.#journal = undefined;
    if (problem === undefined) return;
    const { seal, place } = journal?.sealed ?? {};
    if (problem.kind !== 'cut-off' || seal === undefined || place === undefined) this.#problem ??= problem;
    else this.#isMissing({ problem, isRemoved: (removals) => removals.has(seal, place) });
  }

  #isMissing(missing: MissingRecord): void {
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
      this.#found(kind, where, kind === 'missing' ? 'The run is not there.' : 'The run stands at another place.');
    } else if (places.length < seal.runs) {
      const problem = { kind: 'missing', where, message: `The seal holds ${seal.runs} runs.` } as const;
      const isRemoved = (removals: Removals): boolean => places.length === 0 && removals.hasAll(seal.number, seal.runs);
      this.#isMissing({ problem, isRemoved });
    } else if (merkleRoot(leaves) !== seal.root)
      this.#found('edited', `seal ${seal.number}`, 'Its runs are not those that were sealed.');
  }

  #end({ records, digest }: Extract<AuditRecord, { type: 'end' }>): void {
    this.#isEnded = true;
    const isSame = records === this.#counts.records && digest === this.#digest.digest('hex');
    if (isSame) return;
    // Faults that neither chains nor seals find are reported after those that they do.
    this.#late = { kind: 'edited', where: 'the file', message: 'Its digest differs from the one in its last line.' };
  }

  #checkWhole(isFile: boolean): void {
    const manifest = this.#manifest;
    if (manifest === undefined) return this.#found('cut-off', 'line 1', 'There is nothing.');
    const entries = this.#counts.entries + (manifest.from?.entries ?? 0);
    const seals = this.#counts.seals + (manifest.from?.seals ?? 0);
    const { number, hash } = this.#lastSeal;
    if (entries < manifest.entries)
      this.#found('cut-off', `entry ${entries + 1}`, `The manifest says ${manifest.entries} entries.`);
    if (seals < manifest.seals)
      this.#found('cut-off', `seal ${number + 1}`, `The manifest says ${manifest.seals} seals.`);
    if (hash !== manifest.sealHash)
      this.#found('edited', `seal ${number}`, 'It is not the last seal that the manifest names.');
    const { seal = 0 } = this.#checkpoint ?? {};
    if (seal > number) this.#found('cut-off', `seal ${number + 1}`, `The checkpoint is seal ${seal}.`);
    if (isFile && !this.#isEnded) this.#found('cut-off', `line ${this.#counts.records + 1}`, 'The end is missing.');
    if (this.#late !== undefined) this.#problem ??= this.#late;
  }
}

const kinds = new Set(['manifest', 'entry', 'seal', 'run', 'event', 'end']);

/** Checks only the shape that the code below needs: any other fault gives a wrong hash. */
function recordIn(line: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    const isRecord = typeof value === 'object' && value !== null && 'type' in value && kinds.has(String(value.type));
    return isRecord ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}
