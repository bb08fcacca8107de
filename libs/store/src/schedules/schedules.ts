/** The `on: schedule` triggers of the newest versions of workflows, and their positions. */
import type { AuditedAction } from '@baton/api';
import type { Recurrence, ScheduleTrigger } from '@baton/language';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { workflowFilters } from '../database/workflowConditions.ts';
import type { Prisma, Schedule as Row } from '../generated/client.ts';
import { isStorable } from '../journal/storableText.ts';

export interface Schedule extends Recurrence {
  /** `<workflow>.<id of the trigger>`, or `<workflow>.schedule-<n>`. */
  readonly id: string;
  /** Its names before. */
  readonly formerly: readonly string[];
  readonly workflow: string;
  readonly version: number;
  /** Key of the trigger. */
  readonly trigger: string;
  readonly overlap: ScheduleTrigger['overlap'];
  readonly catchUp: ScheduleTrigger['catchUp'];
  readonly catchUpWindowMs: number;
  /** The first undecided instant; undefined: there is none. Epoch milliseconds. */
  readonly nextAt: number | undefined;
  readonly paused: { readonly at: number; readonly by: string } | undefined;
}

/** In order of their ids. `after`: the last id of the previous page. `workflow`: a pattern; `workflows`: one of these too. */
export async function listSchedules(
  { prisma }: Database,
  {
    workflow: pattern = '*',
    workflows = ['*'],
  }: { readonly workflow?: string | undefined; readonly workflows?: readonly string[] | undefined },
  { limit, after = '' }: { readonly limit: number; readonly after?: string | undefined },
): Promise<{ readonly schedules: readonly Schedule[]; readonly next?: string }> {
  if (!isStorable(after)) return { schedules: [] };
  const selected = [[pattern], workflows].flatMap((patterns) => {
    const filters = workflowFilters(patterns);
    return filters === undefined ? [] : [{ OR: filters.map((workflow) => ({ workflow })) }];
  });
  const rows = await prisma.schedule.findMany({
    where: { id: { gt: after }, removedAt: null, AND: selected },
    orderBy: { id: 'asc' },
    take: limit + 1,
  });
  const schedules = rows.slice(0, limit).map(scheduleOf);
  const next = rows.length > limit ? schedules.at(-1)?.id : undefined;
  return next === undefined ? { schedules } : { schedules, next };
}

/** Also by a name that it had before. */
export async function getSchedule({ prisma }: Database, id: string): Promise<Schedule | undefined> {
  if (!isStorable(id)) return undefined;
  const rows = await prisma.schedule.findMany({
    where: { removedAt: null, OR: [{ id }, { formerly: { has: id } }] },
    take: 2,
  });
  const row = rows.find((one) => one.id === id) ?? rows[0];
  return row && scheduleOf(row);
}

/** False where it is paused already, or does not exist. */
export async function pauseSchedule(database: Database, id: string, by: string): Promise<boolean> {
  const data = { pausedAt: new Date(database.now()), pausedBy: by };
  return change(database, { where: { id, pausedAt: null }, data }, { action: 'schedule.paused', by, id });
}

/** Continues at `nextAt`; instants during the pause are not run later. False if it is not paused. */
export async function resumeSchedule(
  database: Database,
  id: string,
  { nextAt, by }: { readonly nextAt: number | undefined; readonly by: string },
): Promise<boolean> {
  const data = { pausedAt: null, pausedBy: null, nextAt: nextAt === undefined ? null : new Date(nextAt) };
  return change(database, { where: { id, pausedAt: { not: null } }, data }, { action: 'schedule.resumed', by, id });
}

/** Lets it pass over the instants before `nextAt`. Undefined: it has none any more. */
export async function setNextInstant({ prisma }: Database, id: string, nextAt: number | undefined): Promise<void> {
  await prisma.schedule.updateMany({ where: { id }, data: { nextAt: nextAt === undefined ? null : new Date(nextAt) } });
}

interface ScheduleAction {
  readonly action: AuditedAction;
  readonly by: string;
  readonly id: string;
}

async function change(
  { prisma, auditKeys, now }: Database,
  update: Prisma.ScheduleUpdateManyArgs,
  { action, by, id }: ScheduleAction,
): Promise<boolean> {
  if (!isStorable(id)) return false;
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.schedule.updateMany(update);
    if (count > 0) await noteAction(transaction, { auditKeys, now }, { by, action, target: id });
    return count > 0;
  });
}

/** Records in the audit that a caller ran the schedule by hand. */
export async function auditSchedule(
  { prisma, auditKeys, now }: Database,
  { action, by, id, detail }: ScheduleAction & { readonly detail: Readonly<Record<string, string | number>> },
): Promise<void> {
  await prisma.$transaction((transaction) =>
    noteAction(transaction, { auditKeys, now }, { by, action, target: id, detail }),
  );
}

/** The earliest next instant of all schedules but these; undefined where there is none. Epoch milliseconds. */
export async function nextDue({ prisma }: Database, except: readonly string[] = []): Promise<number | undefined> {
  const { _min: earliest } = await prisma.schedule.aggregate({
    _min: { nextAt: true },
    where: { nextAt: { not: null }, pausedAt: null, id: { notIn: [...except] } },
  });
  return earliest.nextAt?.getTime();
}

export const scheduleOf = (row: Row): Schedule => ({
  id: row.id,
  formerly: row.formerly,
  workflow: row.workflow,
  version: row.version,
  trigger: row.trigger,
  times: row.times,
  timezone: row.timezone,
  overlap: row.overlap as Schedule['overlap'],
  catchUp: row.catchUp as Schedule['catchUp'],
  catchUpWindowMs: Number(row.catchUpWindowMs),
  nextAt: row.nextAt?.getTime(),
  paused: row.pausedAt === null ? undefined : { at: row.pausedAt.getTime(), by: row.pausedBy ?? '' },
});
