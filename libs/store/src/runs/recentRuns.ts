import type { Failure, RunStatus } from '@baton/engine';

import type { Database } from '../database/database.ts';

export interface RecentRun {
  readonly id: string;
  readonly status: RunStatus;
  /** Undefined unless it failed, or was cancelled. */
  readonly failureCode: string | undefined;
  readonly createdAt: number;
  /** From its start to its end; undefined: it has not ended, or never began. */
  readonly durationMs: number | undefined;
}

/** The last runs of a workflow, newest first. Rejects with `UnavailableError`. */
export async function recentRuns({ prisma }: Database, workflow: string, limit: number): Promise<readonly RecentRun[]> {
  const rows = await prisma.run.findMany({
    where: { workflow },
    orderBy: { id: 'desc' },
    take: limit,
    select: { id: true, status: true, createdAt: true, startedAt: true, endedAt: true, failure: true },
  });
  return rows.map(({ id, status, createdAt, startedAt, endedAt, failure }) => ({
    id,
    status: status as RunStatus,
    failureCode: (failure as unknown as Failure | null)?.code,
    createdAt: createdAt.getTime(),
    durationMs: startedAt === null || endedAt === null ? undefined : endedAt.getTime() - startedAt.getTime(),
  }));
}
