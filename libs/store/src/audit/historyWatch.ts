/**
 * Notices that Postgres went back in time: that it lacks what this process saw there before. A standby that is promoted
 * without the last transactions does that under processes that go on, and so does a backup or a snapshot.
 */
import { advisoryLocks } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { pauseAllSchedules } from '../schedules/pauseAllSchedules.ts';
import { noteAction } from './entries.ts';

interface SeenRow {
  readonly number: number;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The ends of what Postgres keeps, as a look found them. */
interface SeenEnds {
  readonly seal: SeenRow | null;
  readonly entry: SeenRow | null;
  /** The newest event of all runs; `number` is its position. */
  readonly event: (SeenRow & { readonly runId: string }) | null;
  /** Postgres begins another one when a standby is promoted, and when it recovers to a point in time. */
  readonly timeline: string;
}

interface Look extends SeenEnds {
  readonly isStandby: boolean;
  readonly hasSeal: boolean;
  readonly hasEntry: boolean;
  readonly hasEvent: boolean;
  /** What the audit says of the last time that no person has confirmed yet. */
  readonly open: string | null;
}

export interface HistoryWatchOptions {
  readonly database: Pick<Database, 'pool' | 'prisma' | 'auditKeys' | 'now'>;
  /** Called with a sentence when this process notices it. */
  readonly onRewound: (message: string) => void;
}

/** Who pauses schedules and writes the entry. */
export const historyName = 'history';

export class HistoryWatch {
  readonly #options: HistoryWatchOptions;
  #seen: SeenEnds | undefined;
  #looking: Promise<void> | undefined;
  #warning: string | undefined;

  constructor(options: HistoryWatchOptions) {
    this.#options = options;
  }

  /** A sentence while Postgres has gone back in time and no person has confirmed it, as the last look found. */
  warning(): string | undefined {
    return this.#warning;
  }

  /**
   * Compares. Where something is gone it pauses all schedules and writes an entry to the audit, before it resolves. Calls
   * at the same time share a look. Rejects with `UnavailableError`.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { database, onRewound } = this.#options;
    let found = await ask(database, this.#seen);
    // A standby may be behind, and catch up.
    if (found === undefined || found.isStandby) return;
    if (this.#seen !== undefined && !(found.hasSeal && found.hasEntry && found.hasEvent)) {
      const message = messageOf(this.#seen, found);
      await noteRewound(database, message);
      onRewound(message);
      found = (await ask(database, undefined)) ?? found;
    }
    const { seal, entry, event, timeline, open } = found;
    this.#seen = { seal, entry, event, timeline };
    this.#warning = open ?? undefined;
  }
}

const instant = (at: number): string => new Date(at).toISOString();

function messageOf({ seal, entry, event, timeline }: SeenEnds, found: Look): string {
  const lost = [
    ...(found.hasSeal || seal === null ? [] : [{ ...seal, what: `seal ${seal.number}` }]),
    ...(found.hasEntry || entry === null ? [] : [{ ...entry, what: `entry ${entry.number} of the audit` }]),
    ...(found.hasEvent || event === null ? [] : [{ ...event, what: 'the newest event' }]),
  ];
  const to = Math.max(...lost.map(({ at }) => at));
  const from = Math.min(found.event?.at ?? Infinity, ...lost.map(({ at }) => at));
  const promoted = found.timeline === timeline ? '' : `, and its timeline is ${found.timeline} in place of ${timeline}`;
  return `Postgres went back in time: it lacks ${lost.map(({ what }) => what).join(', ')}, which this process saw${promoted}. What was recorded between ${instant(from)} and ${instant(to)} may be lost, although its calls were made. All schedules are paused until a person confirms it: \`baton schedules confirm\`.`;
}

async function ask({ pool }: HistoryWatchOptions['database'], seen: SeenEnds | undefined): Promise<Look | undefined> {
  const { seal = null, entry = null, event = null } = seen ?? {};
  const [found] = await queryRows<Look>(pool, lookSql, [
    seal?.number,
    seal?.hash,
    entry?.number,
    entry?.hash,
    event?.runId,
    event?.number,
    event?.hash,
  ]);
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
    (select detail->>'message' from audit_entry where action = 'database.rewound'
      and seq > coalesce((select max(seq) from audit_entry where action = 'database.confirmed'), 0)
      order by seq desc limit 1) as open`;

/** Several processes notice it: one of them writes the entry. */
async function noteRewound(database: HistoryWatchOptions['database'], message: string): Promise<void> {
  const { prisma, auditKeys, now } = database;
  await prisma.$transaction(async (transaction) => {
    await pauseAllSchedules(transaction, { by: historyName, at: now() });
    await transaction.$executeRaw`select pg_advisory_xact_lock(${advisoryLocks.noting})`;
    const [found] = await transaction.$queryRaw<{ open: boolean }[]>`
      select exists (select from audit_entry where action = 'database.rewound'
        and seq > coalesce((select max(seq) from audit_entry where action = 'database.confirmed'), 0)) as open`;
    if (found?.open === true) return;
    const entry = { by: historyName, action: 'database.rewound', target: 'database', detail: { message } } as const;
    await noteAction(transaction, { auditKeys, now }, entry);
  });
}

/** A person knows of it. Rejects with `UnavailableError`. */
export async function confirmHistory(database: Database, by: string): Promise<void> {
  const { prisma, auditKeys, now } = database;
  await prisma.$transaction((transaction) =>
    noteAction(transaction, { auditKeys, now }, { by, action: 'database.confirmed', target: 'database' }),
  );
}
