/** Checks one run's journal against its own chain and against its seal. */
import { genesis, linkHash } from '../journal/chain.ts';
import type { AuditProblem } from './auditProblem.ts';
import type { AuditRecord, SealedRun } from './record.ts';

type EventRecord = Extract<AuditRecord, { type: 'event' }>;

/** The position at which something else stands, or nothing. */
interface JournalGap {
  readonly seq: number;
  readonly before: string;
  /** What stands there bears its number. */
  readonly isThere: boolean;
  /** What belongs there was found later, under another number. */
  isElsewhere: boolean;
  /** It was found later, under its own: something was put in its place. */
  isPushedOn: boolean;
}

export class JournalCheck {
  /** What was sealed of it. */
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
      if (!isMeantFor(record, this.#gap)) return;
      if (this.#gap.isThere && record.seq === this.#gap.seq) this.#gap.isPushedOn = true;
      else this.#gap.isElsewhere = true;
      return;
    }
    const seq = this.#seq + 1;
    const isRight = record.runId === this.#runId && record.seq === seq && hashOf(this.#head, record) === record.hash;
    if (isRight) {
      this.#seq = seq;
      this.#head = record.hash;
      return;
    }
    this.#gap = { seq, before: this.#head, isThere: record.seq === seq, isElsewhere: false, isPushedOn: false };
  }

  /** What is wrong with it. */
  end(): AuditProblem | undefined {
    const run = `run ${this.#runId}`;
    if (this.#gap !== undefined) {
      const where = `${run}, event ${this.#gap.seq}`;
      if (this.#gap.isPushedOn)
        return { kind: 'edited', where, message: 'There is an event that was not there when the run was sealed.' };
      if (this.#gap.isElsewhere)
        return { kind: 'reordered', where, message: 'The event was moved to another position.' };
      if (this.#gap.isThere) return { kind: 'edited', where, message: 'The event does not match its hash.' };
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
const isMeantFor = (record: EventRecord, { seq, before }: JournalGap): boolean =>
  hashOf(before, { ...record, seq }) === record.hash;

const hashOf = (before: string, { runId, seq, at, event, data }: EventRecord): string =>
  linkHash(before, { runId, seq, at, type: event, data });
