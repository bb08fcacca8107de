/** Worker processes and their heartbeats. All instants are the database's: workers' own clocks may differ. */
import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';
import { isStorable } from '../journal/storableText.ts';

export interface WorkerHeartbeat {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly isDraining: boolean;
}

export interface WorkerSummary extends WorkerHeartbeat {
  readonly startedAt: number;
  readonly heartbeatAt: number;
}

/** Renews the worker's row, or makes it. Rejects with `UnavailableError`: then the worker must not act for long. */
export async function beat({ pool }: Database, worker: WorkerHeartbeat): Promise<void> {
  await pool
    .query({
      name: 'beat',
      text: `insert into worker (id, host, pid, version, is_draining, started_at, heartbeat_at)
        values ($1, $2, $3, $4, $5, now(), now())
        on conflict (id) do update set heartbeat_at = now(), is_draining = excluded.is_draining`,
      values: [worker.id, worker.host, worker.pid, worker.version, worker.isDraining],
    })
    .catch((error: unknown) => {
      throw asUnavailable(error);
    });
}

/** A worker that has let go of its runs. */
export async function removeWorker({ prisma }: Database, id: string): Promise<void> {
  await prisma.worker.deleteMany({ where: { id } });
}

/** Whether its heartbeat is younger than that. */
export async function isWorkerAlive({ prisma }: Database, id: string, withinMs: number): Promise<boolean> {
  if (!isStorable(id)) return false;
  const [found] = await prisma.$queryRaw<{ alive: boolean }[]>`
    select heartbeat_at > now() - ${withinMs} * interval '1 millisecond' as alive from worker where id = ${id}`;
  return found?.alive === true;
}

/** Those whose heartbeat is younger than that; newest last. */
export async function listWorkers({ prisma }: Database, withinMs: number): Promise<readonly WorkerSummary[]> {
  const rows = await prisma.$queryRaw<WorkerRow[]>`
    select id, host, pid, version, is_draining, started_at, heartbeat_at from worker
    where heartbeat_at > now() - ${withinMs} * interval '1 millisecond' order by started_at, id`;
  return rows.map(({ is_draining, started_at, heartbeat_at, ...rest }) => ({
    ...rest,
    isDraining: is_draining,
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
  readonly started_at: Date;
  readonly heartbeat_at: Date;
}

/** Rows of workers that have been silent for longer than that. How many they were. */
export async function forgetWorkers({ prisma }: Database, silentMs: number): Promise<number> {
  return prisma.$executeRaw`delete from worker where heartbeat_at < now() - ${silentMs} * interval '1 millisecond'`;
}
