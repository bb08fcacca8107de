/** Stores worker processes and their heartbeats. All instants are by Postgres' clock, since workers' clocks may differ. */
import type { Json } from '@baton/primitives';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { queryRows } from '../database/queryRows.ts';
import { isStorable } from '../journal/storableText.ts';

export interface WorkerHeartbeat {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly isDraining: boolean;
  /** Maximum number of runs that it drives at once. */
  readonly concurrency?: number | undefined;
}

export interface WorkerSummary extends WorkerHeartbeat {
  /** Number of runs that it drives. */
  readonly runs: number;
  /** The caller who asked it to take no more runs; undefined: there is no such request. */
  readonly drainBy: string | undefined;
  /** The state of the MCP servers, as the worker stored it. */
  readonly servers: Json | undefined;
  readonly startedAt: number;
  readonly heartbeatAt: number;
}

export interface BeatAnswer {
  /** The worker was asked to take no more runs. */
  readonly isToDrain: boolean;
  /** Postgres' time, epoch milliseconds. */
  readonly timeMs: number;
}

/** Renews or creates the worker's row. Rejects with `UnavailableError`; the worker may then act only for a short time. */
export async function beat({ liveness }: Database, worker: WorkerHeartbeat): Promise<BeatAnswer> {
  const { rows } = await liveness
    .query({
      name: 'beat',
      text: `insert into worker (id, host, pid, version, is_draining, concurrency, started_at, heartbeat_at)
        values ($1, $2, $3, $4, $5, $6, now(), now())
        on conflict (id) do update set heartbeat_at = now(), is_draining = excluded.is_draining
        returning drain_by is not null, extract(epoch from clock_timestamp()) * 1000`,
      values: [worker.id, worker.host, worker.pid, worker.version, worker.isDraining, worker.concurrency ?? null],
    })
    .catch(rethrowUnavailable);
  const [isToDrain, timeMs] = rows[0] ?? [];
  return { isToDrain: isToDrain === 't', timeMs: Number(timeMs) };
}

/** Stores the state of the MCP servers as the worker sees it. Rejects with `UnavailableError`. */
export async function noteServers({ prisma }: Database, id: string, servers: Json): Promise<void> {
  await prisma.worker.updateMany({ where: { id }, data: { servers: servers as object } });
}

/**
 * Asks the worker to take no more runs. False where there is no such worker. Rejects with `UnavailableError`. The worker's
 * row is changed by a statement of its own, since a heartbeat waits for its lock.
 */
export async function drainWorker({ prisma, auditKeys, now }: Database, id: string, by: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  const found = await prisma.worker.findUnique({ where: { id } });
  if (found?.drainBy !== null) return found !== null;
  await prisma.$transaction((transaction) =>
    noteAction(transaction, { auditKeys, now }, { by, action: 'worker.drained', target: id }),
  );
  await prisma.worker.updateMany({ where: { id }, data: { drainBy: by } });
  return true;
}

/** Removes a worker that has released its runs. */
export async function removeWorker({ prisma }: Database, id: string): Promise<void> {
  await prisma.worker.deleteMany({ where: { id } });
}

/** Whether the worker's heartbeat is younger than `withinMs`. */
export async function isWorkerAlive({ liveness }: Database, id: string, withinMs: number): Promise<boolean> {
  if (!isStorable(id)) return false;
  const text = `select heartbeat_at > now() - $2 * interval '1 millisecond' from worker where id = $1`;
  const { rows } = await liveness.query({ name: 'alive', text, values: [id, withinMs] }).catch(rethrowUnavailable);
  return rows[0]?.[0] === 't';
}

/** Workers whose heartbeat is younger than `withinMs`; newest last. */
export async function listWorkers({ pool }: Database, withinMs: number): Promise<readonly WorkerSummary[]> {
  const rows = await queryRows<WorkerRow>(
    pool,
    `select id, host, pid, version, is_draining, concurrency, drain_by, servers::text as servers, started_at, heartbeat_at,
      (select count(*)::int from run where ended_at is null and not is_waiting and run.worker = worker.id) as runs
    from worker
    where heartbeat_at > now() - $1 * interval '1 millisecond' order by started_at, id`,
    [withinMs],
  );
  return rows.map(({ is_draining, started_at, heartbeat_at, drain_by, servers, concurrency, ...rest }) => ({
    ...rest,
    isDraining: is_draining,
    concurrency: concurrency ?? undefined,
    drainBy: drain_by ?? undefined,
    servers: servers === null ? undefined : (JSON.parse(servers) as Json),
    startedAt: started_at.getTime(),
    heartbeatAt: heartbeat_at.getTime(),
  }));
}

interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly is_draining: boolean;
  readonly concurrency: number | null;
  readonly drain_by: string | null;
  readonly servers: string | null;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
  readonly runs: number;
}

/** Removes the rows of workers that have been silent for longer than `silentMs`, and returns their number. */
export async function forgetWorkers({ pool }: Database, silentMs: number): Promise<number> {
  const text = `delete from worker where heartbeat_at < now() - $1 * interval '1 millisecond' returning id`;
  return (await queryRows(pool, text, [silentMs])).length;
}
