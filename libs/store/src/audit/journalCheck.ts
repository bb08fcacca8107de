/** Checks one run's journal against its own chain and against its seal. */
import { genesis, linkHash } from '../journal/chain.ts';
import type { AuditProblem } from './auditProblem.ts';
import type { AuditRecord, SealedRun } from './record.ts';

type EventRecord = Extract<AuditRecord, { type: 'event' }>;

/** The first position whose event is missing or wrong. */
interface JournalGap {
  readonly seq: number;
  readonly before: string;
  /** Another event has this position's number. */
  readonly isReplaced: boolean;
  /** The expected event was found later, under another number. */
  isMoved: boolean;
  /** The expected event was found later under its own number: an event was inserted before it. */
  isShifted: boolean;
}

export class JournalCheck {
  /** The run as its seal holds it; undefined for a run without a seal. */
  readonly sealed: SealedRun | undefined;
  readonly #runId: string;
  #seq = 0;
  #head = genesis;
  #gap: JournalGap | undefined;

  constructor(runId: string, sealed: SealedRun | undefined) {
    this.#runId = runId;
    this.sealed = sealed;
  }

  take(record: EventRecord): void {
    if (this.#gap !== undefined) {
      if (!fitsGap(record, this.#gap)) return;
      if (this.#gap.isReplaced && record.seq === this.#gap.seq) this.#gap.isShifted = true;
      else this.#gap.isMoved = true;
      return;
    }
    const seq = this.#seq + 1;
    const isRight = record.runId === this.#runId && record.seq === seq && hashOf(this.#head, record) === record.hash;
    if (isRight) {
      this.#seq = seq;
      this.#head = record.hash;
      return;
    }
    this.#gap = { seq, before: this.#head, isReplaced: record.seq === seq, isMoved: false, isShifted: false };
  }

  /** Returns the first problem of the journal. */
  end(): AuditProblem | undefined {
    const run = `run ${this.#runId}`;
    if (this.#gap !== undefined) {
      const where = `${run}, event ${this.#gap.seq}`;
      if (this.#gap.isShifted)
        return { kind: 'edited', where, message: 'There is an event that was not there when the run was sealed.' };
      if (this.#gap.isMoved) return { kind: 'reordered', where, message: 'The event was moved to another position.' };
      if (this.#gap.isReplaced) return { kind: 'edited', where, message: 'The event does not match its hash.' };
      return { kind: 'missing', where, message: 'The event is missing, and later ones exist.' };
    }
    if (this.sealed === undefined)
      return this.#seq > 0
        ? undefined
        : { kind: 'missing', where: `${run}, event 1`, message: 'The journal is empty.' };
    const { seq, head } = this.sealed;
    if (this.#seq < seq)
      return { kind: 'cut-off', where: `${run}, event ${this.#seq + 1}`, message: `${seq} events were sealed.` };
    if (this.#seq > seq)
      return { kind: 'edited', where: `${run}, event ${seq + 1}`, message: `Only ${seq} events were sealed.` };
    if (this.#head !== head)
      return { kind: 'edited', where: run, message: 'Its journal differs from the one that was sealed.' };
    return undefined;
  }
}

/** Whether the event fits the gap, ignoring the number it has now. */
const fitsGap = (record: EventRecord, { seq, before }: JournalGap): boolean =>
  hashOf(before, { ...record, seq }) === record.hash;

const hashOf = (before: string, { runId, seq, at, event, data }: EventRecord): string =>
  linkHash(before, { runId, seq, at, type: event, data });
