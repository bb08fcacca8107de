/**
 * Removes the rows and journals of finished runs after their retention time. An audit entry in the same transaction names
 * the runs as places in seals: the seals stay, and the rest still verifies. A run is removed together with all runs that it
 * started, and an undo only after the run that it undoes: nothing else says that it was undone. Their large values are removed afterwards: see `removeValues`.
 */
import { noteAction } from '../audit/entries.ts';
import { type ProvenEnd, provenEnds } from '../audit/provenEnds.ts';
import { type Removal, writeRanges } from '../audit/removals.ts';
import { tryLock } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { firstRunId } from '../database/runId.ts';
import { Prisma } from '../generated/client.ts';

const rootsMax = 500;
/** Runs in one transaction, unless a single one has started more. */
const runsMax = 1_000;
const transactionMs = 120_000;

export interface RemoveRuns {
  /** Runs that ended before this instant. Epoch milliseconds. */
  readonly endedBefore: number;
  /** Only runs with a larger id. */
  readonly after?: string | undefined;
}

export interface RemovedRuns {
  readonly runs: number;
  readonly events: number;
  /** `after` of the next call; absent: all runs were examined. */
  readonly next?: string;
}

type RemovalTransaction = Pick<Database['prisma'], '$executeRaw' | '$queryRaw' | 'auditEntry'>;

/** Removes one batch, oldest first. Undefined where another process is removing. Rejects with `UnavailableError`. */
export async function removeRuns(database: Database, order: RemoveRuns): Promise<RemovedRuns | undefined> {
  return database.prisma.$transaction(
    async (transaction) => {
      const [lock] = await transaction.$queryRaw<{ held: boolean }[]>(Prisma.raw(tryLock('removing')));
      if (lock?.held !== true) return undefined;
      // Gives up quickly on rows that other transactions have locked, and looks up by key only.
      await transaction.$queryRaw`
        select set_config(name, value, true) from (values ('lock_timeout', '1s'), ('baton.removing', 'on'),
          ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off')) as setting(name, value)`;
      const roots = await findRoots(transaction, order);
      const { trees, last } = await findTrees(transaction, roots);
      const due = [...trees.values()].filter((tree) => tree.every((run) => mayBeRemoved(run, order)));
      const candidates = due.flatMap((tree) => tree.map(({ id }) => id));
      const ends = await provenEnds(database.pool, database.auditKeys, candidates);
      const isProven = ({ id }: TreeMember): boolean => (ends.get(id)?.endedAt ?? Infinity) < order.endedBefore;
      const removed = due
        .filter((tree) => tree.every(isProven))
        .flatMap((tree) => tree.flatMap(({ id }) => ends.get(id) ?? []));
      const isMore = last !== undefined && (roots.length === rootsMax || last !== roots.at(-1));
      const next = isMore ? { next: last } : {};
      if (removed.length === 0) return { runs: 0, events: 0, ...next };
      return { ...(await remove(transaction, database, removed, order)), ...next };
    },
    { timeout: transactionMs },
  );
}

async function findRoots(
  transaction: RemovalTransaction,
  { endedBefore, after }: RemoveRuns,
): Promise<readonly string[]> {
  const found = await transaction.$queryRaw<{ id: string }[]>`
    select id from run where id > ${after ?? firstRunId(0)}::uuid and id < ${firstRunId(endedBefore)}::uuid
      and ended_at < ${new Date(endedBefore)} and parent_run_id is null
    order by id limit ${rootsMax}`;
  return found.map(({ id }) => id);
}

interface TreeMember {
  readonly id: string;
  readonly root: string;
  readonly endedAt: Date | null;
  /** Its journal is sealed, its end needs no further delivery, and what it undoes is gone. */
  readonly isSettled: boolean;
}

const mayBeRemoved = ({ endedAt, isSettled }: TreeMember, { endedBefore }: RemoveRuns): boolean =>
  isSettled && endedAt !== null && endedAt.getTime() < endedBefore;

/** By root: all runs that it has started, directly or not. Takes fewer roots where they have too many runs. */
async function findTrees(transaction: RemovalTransaction, roots: readonly string[]) {
  for (let count = roots.length; ; count = Math.ceil(count / 2)) {
    const some = roots.slice(0, count);
    const memberLimit = count > 1 ? runsMax + 1 : null;
    const found = await transaction.$queryRaw<TreeMember[]>`
      with recursive tree as (
        select id as root, id from unnest(${some}::uuid[]) as id
        union all
        select tree.root, run.id from tree join run on run.parent_run_id = tree.id
      ), member as (select * from tree limit ${memberLimit}::bigint)
      select member.root, run.id, ended_at as "endedAt", sealed_run.run_id is not null
        and (callback.status is null or callback.status <> 'pending')
        and not (run.trigger_kind = 'undo' and exists (select from run as undone where undone.id = run.rerun_of))
        as "isSettled"
      from member join run on run.id = member.id
        left join sealed_run on sealed_run.run_id = run.id left join callback on callback.run_id = run.id`;
    if (memberLimit !== null && found.length >= memberLimit) continue;
    return { trees: Map.groupBy(found, ({ root }) => root), last: some.at(-1) };
  }
}

async function remove(
  transaction: RemovalTransaction,
  database: Pick<Database, 'auditKeys' | 'now'>,
  ends: readonly ProvenEnd[],
  { endedBefore }: RemoveRuns,
): Promise<Omit<RemovedRuns, 'next'>> {
  const ids = ends.map(({ id }) => id);
  const seals = placesOf(ends);
  await transaction.$executeRaw`delete from callback where run_id = any(${ids}::uuid[])`;
  const [removed] = await transaction.$queryRaw<{ events: bigint }[]>`select remove_journals(${ids}::uuid[]) as events`;
  const ranges = Object.fromEntries([...seals].map(([seal, places]) => [seal, writeRanges(places)]));
  const detail: Removal = { endedBefore: new Date(endedBefore).toISOString(), runs: ids.length, seals: ranges };
  const [first, last] = [Math.min(...seals.keys()), Math.max(...seals.keys())];
  const target = first === last ? `seal ${first}` : `seals ${first} to ${last}`;
  await noteAction(transaction, database, { by: 'retention', action: 'runs.removed', target, detail: { ...detail } });
  return { runs: ids.length, events: Number(removed?.events ?? 0) };
}

/** By seal: the places of the runs, ascending. */
function placesOf(ends: readonly ProvenEnd[]): ReadonlyMap<number, readonly number[]> {
  const sorted = ends.toSorted((one, other) => one.seal - other.seal || one.place - other.place);
  const bySeal = Map.groupBy(sorted, ({ seal }) => seal);
  return new Map([...bySeal].map(([seal, places]) => [seal, places.map(({ place }) => place)]));
}
