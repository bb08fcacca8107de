/** Updates schedules after deployments: compares the stored schedules with the deployed ones. */
import type { ScheduleChange } from '@baton/api';
import { type ScheduleTrigger, shownTimes } from '@baton/language';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import type { Schedule as Row } from '../generated/client.ts';
import { type MatchedSchedule, type WantedSchedule, matchSchedules } from './matchSchedules.ts';

export interface UnplacedSchedule {
  readonly workflow: string;
  /** The version whose schedules are to be stored; undefined: the workflow was deleted. */
  readonly version: number | undefined;
  /** Digest of its definition. */
  readonly definition: string | undefined;
}

/** Workflows whose stored schedules are not those of their newest version: an older Baton deployed them. In order of ids. */
export async function findUnplaced(
  { pool }: Database,
  { limit, after }: { readonly limit: number; readonly after: string },
): Promise<readonly UnplacedSchedule[]> {
  type Found = { readonly workflow: string; readonly version: number | null; readonly definition: string | null };
  const rows = await queryRows<Found>(
    pool,
    `
    select workflow.id as workflow, version.version, version.digest as definition
    from workflow left join workflow_version version
      on version.workflow_id = workflow.id and version.version = latest and deleted_at is null
    where latest > 0 and scheduled is distinct from version.version and workflow.id > $1
    order by workflow.id limit $2`,
    [after, limit],
  );
  return rows.map(({ workflow, version, definition }) => ({
    workflow,
    version: version ?? undefined,
    definition: definition ?? undefined,
  }));
}

export type PlacedTrigger = WantedSchedule &
  Pick<ScheduleTrigger, 'overlap' | 'catchUp' | 'catchUpWindowMs'> & {
    /** Its first instant from now on. Epoch milliseconds. */
    readonly nextAt: number | undefined;
  };

/** Places the schedules of a deployed version. Does nothing if a newer version was deployed meanwhile. */
export async function placeSchedules(
  { prisma, auditKeys, now }: Database,
  { workflow, version }: Pick<UnplacedSchedule, 'workflow' | 'version'>,
  triggers: readonly PlacedTrigger[],
): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    const [current] = await transaction.$queryRaw<{ latest: number; isDeleted: boolean }[]>`
      select latest, deleted_at is not null as "isDeleted" from workflow where id = ${workflow} for update`;
    const wanted = current?.isDeleted === false ? current.latest : undefined;
    if (wanted !== version) return;
    await placeIn(transaction, { workflow, version, triggers, by: 'deployment', auditKeys, now });
    await transaction.workflow.update({ where: { id: workflow }, data: { scheduled: version ?? null } });
  });
}

/** What deploying these triggers would change. Rejects with `UnavailableError`. */
export async function previewSchedules(
  { prisma }: Database,
  workflow: string,
  triggers: readonly PlacedTrigger[],
): Promise<readonly ScheduleChange[]> {
  const stored = await prisma.schedule.findMany({ where: { workflow } });
  return changesOf(stored, matchSchedules(workflow, stored, triggers));
}

export interface Placing extends Pick<Database, 'auditKeys' | 'now'> {
  readonly workflow: string;
  readonly version: number | undefined;
  readonly triggers: readonly PlacedTrigger[];
  readonly by: string;
}

type Transaction = Pick<Database['prisma'], 'schedule' | 'firing' | '$executeRaw' | '$queryRaw'>;

/**
 * Replaces the schedules of the previous version; the caller has locked the workflow, and notes the version as `scheduled`. One with the same instants keeps its position, and
 * stays paused if it was. One that is gone is kept, so that it is what it was if it comes back.
 */
export async function placeIn(transaction: Transaction, placing: Placing): Promise<readonly ScheduleChange[]> {
  const { workflow, version, triggers, auditKeys, now, by } = placing;
  const stored = await transaction.schedule.findMany({ where: { workflow } });
  const matched = matchSchedules(workflow, stored, triggers);
  const changes = changesOf(stored, matched);
  await remove(
    transaction,
    changes.flatMap(({ id, change }) => (change === 'gone' ? [id] : [])),
    new Date(now()),
  );
  for (const { id, before, wanted } of matched) {
    const { key, id: _id, nextAt, ...rest } = wanted;
    const keepsPosition = before?.removedAt === null && hasSameTimes(before, wanted);
    const first = nextAt === undefined ? null : new Date(nextAt);
    const next = keepsPosition ? before.nextAt : first;
    const data = { ...rest, workflow, version: version ?? 0, trigger: key, nextAt: next, removedAt: null };
    if (before === undefined) await transaction.schedule.create({ data: { id, ...data } });
    else if (before.id === id) await transaction.schedule.update({ where: { id }, data });
    else {
      const formerly = [...new Set([...before.formerly, before.id])];
      await transaction.schedule.update({ where: { id: before.id }, data: { id, formerly, ...data } });
      await moveFirings(transaction, before.id, id);
      const detail = { before: before.id };
      await noteAction(transaction, { auditKeys, now }, { by, action: 'schedule.renamed', target: id, detail });
    }
  }
  return changes;
}

async function remove(transaction: Transaction, gone: readonly string[], removedAt: Date): Promise<void> {
  if (gone.length === 0) return;
  await transaction.schedule.updateMany({ where: { id: { in: [...gone] } }, data: { removedAt, nextAt: null } });
  await transaction.firing.updateMany({
    where: { schedule: { in: [...gone] }, outcome: 'queued' },
    data: { outcome: 'skipped', reason: 'the schedule was removed' },
  });
}

/** An instant that was decided under both names stays decided once. */
async function moveFirings(transaction: Transaction, from: string, to: string): Promise<void> {
  await transaction.$executeRaw`
    delete from firing where schedule = ${from}
      and exists (select from firing as other where other.schedule = ${to} and other.instant = firing.instant)`;
  await transaction.$executeRaw`update firing set schedule = ${to} where schedule = ${from}`;
}

function changesOf(
  stored: readonly Row[],
  matched: readonly MatchedSchedule<Row, PlacedTrigger>[],
): readonly ScheduleChange[] {
  const kept = new Set(matched.map(({ before }) => before));
  const gone = stored.filter((row) => row.removedAt === null && !kept.has(row));
  return [
    ...matched.map(changeOf),
    ...gone.map(({ id, times, timezone, pausedAt }) => ({
      id,
      change: 'gone' as const,
      ...shownTimes(times),
      timezone,
      paused: pausedAt !== null,
    })),
  ];
}

function changeOf({ id, wanted, before }: MatchedSchedule<Row, PlacedTrigger>): ScheduleChange {
  const { times, timezone } = wanted;
  const now = { id, ...shownTimes(times), timezone, paused: before !== undefined && before.pausedAt !== null };
  if (before === undefined) return { ...now, change: 'new' };
  const older = {
    ...(before.id === id ? {} : { id: before.id }),
    ...(hasSameTimes(before, wanted) ? {} : { ...shownTimes(before.times), timezone: before.timezone }),
  };
  const shown = Object.keys(older).length === 0 ? now : { ...now, before: older };
  if (before.removedAt !== null) return { ...shown, change: 'returned' };
  const hasSameInputs = before.inputs === null || before.inputs === wanted.inputs;
  if (!hasSameTimes(before, wanted) || !hasSameInputs) return { ...shown, change: 'changed' };
  if (before.id !== id) return { ...shown, change: 'renamed' };
  return { ...shown, change: before.trigger === wanted.key ? 'same' : 'moved' };
}

const hasSameTimes = (one: Pick<Row, 'times' | 'timezone'>, other: Pick<Row, 'times' | 'timezone'>): boolean =>
  one.times === other.times && one.timezone === other.timezone;
