/**
 * Notices that Postgres went back in time: that it lacks what this process saw there before. A standby that is promoted
 * without the last transactions does that under processes that go on, and so does a backup or a snapshot.
 */
import { UnavailableError } from '@baton/runner';

import { noteAction } from '../audit/entries.ts';
import { takeLock } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import type { Ask } from '../database/guardedClient.ts';
import { queryRows } from '../database/queryRows.ts';
import { Prisma } from '../generated/client.ts';
import { type EpochPlace, type SeenEnds, epochText, seenIn } from './epoch.ts';
import { type RaisedFence, fenceColumn, raiseFence, untilLifted } from './fence.ts';

interface Look extends SeenEnds {
  readonly isStandby: boolean;
  readonly hasSeal: boolean;
  readonly hasEntry: boolean;
  readonly hasEvent: boolean;
  readonly fence: RaisedFence | null;
  /** The audit says that the fence was raised, and not yet that it was lifted. */
  readonly isNoted: boolean;
}

export interface HistoryWatchOptions {
  readonly database: Pick<Database, 'pool' | 'prisma' | 'auditKeys' | 'now'>;
  /** Called with a sentence when this process finds that the fence stands. */
  readonly onRewound: (message: string) => void;
}

export interface HistoryMemory {
  readonly installation: string;
  readonly places: readonly EpochPlace[];
  /** Called where a place cannot be written: the process works all the same. */
  readonly onTrouble: (what: string, error: Error) => void;
}

/** Who writes the entry. */
const historyName = 'history';

/** How often an epoch that says nothing new is written. */
const idleMs = 30_000;

export class HistoryWatch {
  readonly #options: HistoryWatchOptions;
  #memory: HistoryMemory | undefined;
  /** Its looks compare by themselves with what others saw. */
  #isBeginning = false;
  #seen: SeenEnds | undefined;
  #looking: Promise<void> | undefined;
  #fence: RaisedFence | undefined;
  #onLifted: (() => void)[] = [];
  #written = { ends: '', at: -Infinity };
  /** Names of the places that could not be written last. */
  readonly #failing = new Set<string>();

  constructor(options: HistoryWatchOptions) {
    this.#options = options;
  }

  /** A sentence while the fence stands, as the last look found. */
  warning(): string | undefined {
    return this.#fence?.message;
  }

  /** Calls it now, or, while the fence stands, when a look finds that it was lifted. */
  whenLifted(begin: () => void): void {
    if (this.#fence === undefined) begin();
    else this.#onLifted.push(begin);
  }

  /**
   * Holds the database against what processes saw before this one, and from then on keeps what this one sees. Rejects
   * with the error of a place that cannot be read, and with `UnavailableError`.
   */
  async begin(memory: HistoryMemory): Promise<void> {
    const { installation, places } = memory;
    const texts = await Promise.all(places.map((place) => place.read(installation)));
    this.#isBeginning = true;
    for (const text of texts) {
      const seen = text === undefined ? undefined : seenIn(text, installation);
      if (seen === undefined) continue;
      this.#seen = seen;
      await this.look();
    }
    this.#isBeginning = false;
    this.#memory = memory;
    await this.look();
  }

  /**
   * Compares. Where something is gone, the fence stands before it resolves, and the audit has an entry. Calls at the same
   * time share a look. Rejects with `UnavailableError`.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** As `look`, after what was committed before this call: a look that is under way may have read earlier. */
  async lookAnew(): Promise<void> {
    await this.#looking?.catch(() => undefined);
    await this.look();
  }

  /**
   * Compares on a connection that was just opened, which may lead to another server than the one before: nothing is read
   * over it where something is gone. Rejects with `UnavailableError` then, and with the errors of `pg`.
   */
  async check(ask: Ask): Promise<void> {
    const seen = this.#seen;
    if (seen === undefined || this.#fence !== undefined || this.#isBeginning) return;
    const { rows } = await ask(lookSql, parametersOf(seen));
    const [found] = rows as Look[];
    if (found === undefined || found.isStandby || !isBehind(seen, found)) return;
    const fence = fenceOf(seen, found, this.#options.database.now());
    await raiseFence(ask, fence);
    this.#stand(fence);
    throw new UnavailableError(fence.message);
  }

  async #look(): Promise<void> {
    const { database } = this.#options;
    let found = await lookIn(database, this.#seen);
    // A standby may be behind, and catch up.
    if (found === undefined || found.isStandby) return;
    if (this.#seen !== undefined && isBehind(this.#seen, found)) {
      const asking: Ask = (text, values) => database.pool.query(text, [...values]).catch(rethrowUnavailable);
      await raiseFence(asking, fenceOf(this.#seen, found, database.now()));
      found = (await lookIn(database, undefined)) ?? found;
    }
    const { seal, entry, event, timeline, isSynchronous, fence, isNoted } = found;
    this.#seen = { seal, entry, event, timeline, isSynchronous };
    if (fence === null) {
      this.#lift();
    } else {
      if (!isNoted) await noteRewound(database, fence.message);
      this.#stand(fence);
    }
    await this.#remember(this.#seen);
  }

  #stand(fence: RaisedFence): void {
    const isNew = this.#fence === undefined;
    this.#fence = fence;
    if (isNew) this.#options.onRewound(fence.message);
  }

  #lift(): void {
    this.#fence = undefined;
    for (const begin of this.#onLifted.splice(0)) begin();
  }

  /** A place that fails keeps none of the others from being written. */
  async #remember(seen: SeenEnds): Promise<void> {
    if (this.#memory === undefined) return;
    const { installation, places, onTrouble } = this.#memory;
    const at = this.#options.database.now();
    const ends = JSON.stringify(seen);
    if (ends === this.#written.ends && at - this.#written.at < idleMs) return;
    this.#written = { ends, at };
    const text = epochText(installation, seen, at);
    const write = async (place: EpochPlace): Promise<void> => {
      try {
        await place.write(installation, text);
        this.#failing.delete(place.name);
      } catch (error) {
        this.#written = { ends: '', at };
        if (this.#failing.has(place.name)) return;
        this.#failing.add(place.name);
        const why = `${place.name} cannot be written: after a restore, nothing there tells what is missing`;
        onTrouble(why, error as Error);
      }
    };
    await Promise.all(places.map(write));
  }
}

/** A standby that was promoted may lack commits that none of them waited for, even where the ends that were seen are there. */
function isBehind(seen: SeenEnds, found: Look): boolean {
  if (!found.hasSeal || !found.hasEntry || !found.hasEvent) return true;
  return found.timeline > seen.timeline && !seen.isSynchronous;
}

function fenceOf(seen: SeenEnds, found: Look, now: number): RaisedFence {
  const from = Math.min(found.event?.at ?? Infinity, seen.event?.at ?? Infinity, now);
  return { cause: 'behind', from, to: now, message: messageOf(seen, found, { from, to: now }) };
}

const instant = (at: number): string => new Date(at).toISOString();

function messageOf(
  { seal, entry, event, timeline }: SeenEnds,
  found: Look,
  { from, to }: Pick<RaisedFence, 'from' | 'to'>,
): string {
  const lost = [
    ...(found.hasSeal || seal === null ? [] : [`seal ${seal.number}`]),
    ...(found.hasEntry || entry === null ? [] : [`entry ${entry.number} of the audit`]),
    ...(found.hasEvent || event === null ? [] : ['the newest event']),
  ];
  const promoted = found.timeline === timeline ? '' : `its timeline is ${found.timeline} in place of ${timeline}`;
  const lacks = lost.length === 0 ? '' : `it lacks ${lost.join(', ')}, which a process saw`;
  const what = [lacks, promoted].filter((part) => part !== '').join(', and ');
  return `Postgres went back in time: ${what}. What was recorded between ${instant(from)} and ${instant(to)} may be lost, although its calls were made. ${untilLifted}`;
}

const parametersOf = ({ seal, entry, event }: Partial<SeenEnds>): unknown[] => [
  seal?.number,
  seal?.hash,
  entry?.number,
  entry?.hash,
  event?.runId,
  event?.number,
  event?.hash,
];

async function lookIn(
  { pool }: HistoryWatchOptions['database'],
  seen: SeenEnds | undefined,
): Promise<Look | undefined> {
  const [found] = await queryRows<Look>(pool, lookSql, parametersOf(seen ?? {}));
  return found;
}

/** An event of a run that retention has removed is not missing. */
const lookSql = `select
    (select json_build_object('number', number, 'hash', encode(hash, 'hex'), 'at', at)
      from seal order by number desc limit 1) as seal,
    (select json_build_object('number', seq, 'hash', encode(hash, 'hex'), 'at', at)
      from audit_entry order by seq desc limit 1) as entry,
    (select json_build_object('runId', run_id, 'number', seq, 'hash', encode(hash, 'hex'), 'at', at)
      from run_event where xact is not null order by xact desc limit 1) as event,
    pg_is_in_recovery() as "isStandby",
    case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline,
    $1::int is null or exists (select from seal where number = $1 and hash = decode($2, 'hex')) as "hasSeal",
    $3::int is null or exists (select from audit_entry where seq = $3 and hash = decode($4, 'hex')) as "hasEntry",
    $5::uuid is null
      or exists (select from run_event where run_id = $5 and seq = $6 and hash = decode($7, 'hex'))
      or exists (select from audit_entry where action = 'runs.removed' and seq > coalesce($3, 0)) as "hasEvent",
    current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') in ('on', 'remote_write', 'remote_apply') as "isSynchronous",
    ${fenceColumn} as fence,
    exists (select from audit_entry where action = 'database.rewound'
      and seq > coalesce((select max(seq) from audit_entry where action = 'fence.lifted'), 0)) as "isNoted"`;

/** Several processes notice it: one of them writes the entry. */
async function noteRewound(database: HistoryWatchOptions['database'], message: string): Promise<void> {
  const { prisma, auditKeys, now } = database;
  await prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw(Prisma.raw(takeLock('noting')));
    const [found] = await transaction.$queryRaw<{ isNoted: boolean }[]>`
      select exists (select from audit_entry where action = 'database.rewound'
        and seq > coalesce((select max(seq) from audit_entry where action = 'fence.lifted'), 0)) as "isNoted"`;
    if (found?.isNoted === true) return;
    const entry = { by: historyName, action: 'database.rewound', target: 'database', detail: { message } } as const;
    await noteAction(transaction, { auditKeys, now }, entry);
  });
}
