import { Outage } from '@baton/primitives';

type QueueKind = 'redis' | 'postgres';

/** Faults around a queue. None makes a run wrong (I1): each is counted, reported, and recovered from. */
export type QueueTrouble =
  /** A connection broke, could not be opened, or answered with an error. */
  | 'connection'
  /** A job's lock was lost: the queue may give its bell to another worker. */
  | 'lock-lost'
  /** A job was taken back from a worker that no longer renewed its lock. */
  | 'stalled'
  /** A job without run ids: its data was emptied, or another program made it. It is dropped. */
  | 'foreign-job'
  /** The function that answers bells threw. */
  | 'answer-failed'
  /** A hint could not be published or was unreadable. */
  | 'bus';

/**
 * Called with the latest error and the number of occurrences since the queue was opened, for each kind at once, and while
 * it lasts after a second, two, four and so on up to a minute; for `answer-failed` each time. It only reports: for a bug,
 * the worker ends the process itself. `message`: one sentence for the operator's log.
 */
export type TroubleHandler = (what: QueueTrouble, error: Error, count: number, message: string) => void;

const messages: Readonly<Record<QueueTrouble, string>> = {
  connection: 'cannot be used. Runs continue, a second or two late',
  'lock-lost': 'gave the lock of a bell to another worker; a run may be looked at twice',
  stalled: 'took a bell back from a worker that no longer answers for it',
  'foreign-job':
    'had a job without run ids, which was dropped: another program writes to this queue, or it was emptied',
  'answer-failed': 'rang, and a run could not be looked at',
  bus: 'passed a hint on wrongly, or not at all. Runs continue, a second or two late',
};

/** The code of an error that Redis itself sent; undefined for any other error. */
export const replyOf = (error: unknown): string | undefined =>
  error instanceof Error && error.name === 'ReplyError'
    ? (/^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? 'ERR')
    : undefined;

/** Of an error that Redis sent: a command or a key in it may be long. */
const replyCharactersMax = 120;

function messageOf(what: QueueTrouble, kind: QueueKind, error: unknown): string {
  if (replyOf(error) !== undefined && what !== 'answer-failed')
    return `Redis answers with an error (${(error as Error).message.slice(0, replyCharactersMax)}). Runs continue, a second or two late`;
  const [name, setting] = kind === 'redis' ? ['Redis', 'REDIS_URL'] : ['Postgres', 'DATABASE_URL'];
  const question = what === 'connection' ? `: is it there, and is ${setting} right?` : '';
  return `the queue in ${name} ${messages[what]}${question}`;
}

/** Longer than a worker waits between two attempts to take a job. */
const deafMs = 10_000;

const quietMs = { first: 1_000, longest: 60_000 };

export interface QueueReports {
  readonly onTrouble: TroubleHandler;
  /** Called when Redis answers again after a `connection` trouble that was reported, with how long it was away. */
  readonly onBack?: ((awayMs: number) => void) | undefined;
}

export class QueueTroubles {
  readonly #kind: QueueKind;
  readonly #onTrouble: TroubleHandler;
  readonly #now: () => number;
  readonly #outage: Outage;
  #connectionAt = -Infinity;
  /** Whether a `connection` trouble was reported since Redis was last back. */
  #isTold = false;
  readonly #counts = new Map<QueueTrouble, number>();
  readonly #reported = new Map<QueueTrouble, { readonly at: number; readonly quietMs: number }>();

  /** `now`: milliseconds, from any start, never backwards. */
  constructor(kind: QueueKind, { onTrouble, onBack }: QueueReports, now = (): number => performance.now()) {
    this.#kind = kind;
    this.#onTrouble = onTrouble;
    this.#now = now;
    this.#outage = new Outage((awayMs) => {
      if (this.#isTold) onBack?.(awayMs);
      this.#isTold = false;
    }, now);
  }

  report(what: QueueTrouble, error: unknown): void {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    const at = this.#now();
    if (what === 'connection') this.#connectionAt = at;
    const last = this.#reported.get(what);
    const silentMs = at - (last?.at ?? -Infinity);
    if (what !== 'answer-failed' && last !== undefined && silentMs < last.quietMs) return;
    const doubled = last === undefined || silentMs > 2 * quietMs.longest ? quietMs.first : 2 * last.quietMs;
    this.#reported.set(what, { at, quietMs: Math.min(doubled, quietMs.longest) });
    if (what === 'connection') this.#isTold = true;
    this.#onTrouble(
      what,
      error instanceof Error ? error : new Error(String(error)),
      count,
      messageOf(what, this.#kind, error),
    );
  }

  /** Whether `connection` was reported within the last seconds. */
  isDeaf(): boolean {
    return this.#now() - this.#connectionAt < deafMs;
  }

  /** The connection for ringing has opened or closed. */
  noteConnection(isOpen: boolean): void {
    if (isOpen) this.#outage.end();
    else this.#outage.begin();
  }

  counts(): Partial<Record<QueueTrouble, number>> {
    return Object.fromEntries(this.#counts);
  }
}
