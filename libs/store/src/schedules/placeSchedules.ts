/** Updates schedules after deployments: compares the stored schedules with the deployed ones. */
import type { ScheduleTrigger } from '@baton/language';

import type { Database } from '../database/database.ts';

export interface UnplacedSchedule {
  readonly workflow: string;
  /** The version whose schedules are to be stored; undefined: the workflow was deleted. */
  readonly version: number | undefined;
  /** Digest of its definition. */
  readonly definition: string | undefined;
}

/** Workflows whose stored schedules are not those of their newest version. */
export async function findUnplaced({ prisma }: Database, limit: number): Promise<readonly UnplacedSchedule[]> {
  type Row = { readonly workflow: string; readonly version: number | null; readonly definition: string | null };
  const rows = await prisma.$queryRaw<Row[]>`
    select workflow.id as workflow, version.version, version.digest as definition
    from workflow left join workflow_version version
      on version.workflow_id = workflow.id and version.version = latest and deleted_at is null
    where latest > 0 and scheduled is distinct from version.version order by workflow.id limit ${limit}`;
  return rows.map(({ workflow, version, definition }) => ({
    workflow,
    version: version ?? undefined,
    definition: definition ?? undefined,
  }));
}

export type PlacedTrigger = Pick<
  ScheduleTrigger,
  'key' | 'cron' | 'timezone' | 'overlap' | 'catchUp' | 'catchUpWindowMs'
> & {
  /** Its first instant from now on. Epoch milliseconds. */
  readonly nextAt: number | undefined;
};

/**
 * Replaces the schedules of the previous version. A schedule with the same instants keeps its position, and stays paused
 * if it was. Does nothing if a newer version was deployed meanwhile.
 */
export async function placeSchedules(
  { prisma }: Database,
  { workflow, version }: Pick<UnplacedSchedule, 'workflow' | 'version'>,
  triggers: readonly PlacedTrigger[],
): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    const [current] = await transaction.$queryRaw<{ latest: number; isDeleted: boolean }[]>`
      select latest, deleted_at is not null as "isDeleted" from workflow where id = ${workflow} for update`;
    const wanted = current?.isDeleted === false ? current.latest : undefined;
    if (wanted !== version) return;
    const before = await transaction.schedule.findMany({ where: { workflow } });
    const kept = new Set(triggers.map(({ key }) => idOf(workflow, key)));
    const gone = before.map(({ id }) => id).filter((id) => !kept.has(id));
    await transaction.schedule.deleteMany({ where: { id: { in: gone } } });
    await transaction.firing.updateMany({
      where: { schedule: { in: gone }, outcome: 'queued' },
      data: { outcome: 'skipped', reason: 'the schedule was removed' },
    });
    for (const { key, nextAt, catchUpWindowMs, ...rest } of triggers) {
      const id = idOf(workflow, key);
      const old = before.find((one) => one.id === id);
      const isSame = old?.cron === rest.cron && old.timezone === rest.timezone;
      const first = nextAt === undefined ? null : new Date(nextAt);
      const next = isSame ? old.nextAt : first;
      const data = { ...rest, workflow, version: version ?? 0, trigger: key, catchUpWindowMs, nextAt: next };
      await transaction.schedule.upsert({ where: { id }, create: { id, ...data }, update: data });
    }
    await transaction.workflow.update({ where: { id: workflow }, data: { scheduled: version ?? null } });
  });
}

const idOf = (workflow: string, key: string): string => `${workflow}.${key}`;
