import type { RunStatus, Trigger } from '@baton/engine';

import type { Database } from '../database/database.ts';
import type { Prisma } from '../generated/client.ts';
import { isStorable } from '../journal/storableText.ts';
import { firstRunId, isRunId } from './runId.ts';
import type { RunSummary } from './runSummary.ts';
import { summaryOf } from './runSummary.ts';

export interface RunFilter {
  readonly workflow?: string;
  /** Any of these. */
  readonly workflows?: readonly string[];
  /** Any of these. */
  readonly statuses?: readonly RunStatus[];
  readonly tag?: string;
  readonly trigger?: Trigger['kind'];
  /** Created at this instant or later, epoch milliseconds. */
  readonly from?: number;
  /** Created before this instant. */
  readonly to?: number;
  /** With open questions only. */
  readonly isAsking?: boolean;
}

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Pass it as `after` for the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * Newest first. Pages are cut at a run's id, and ids are in order of time: runs that come meanwhile shift nothing.
 * Every filter has an index of its own.
 */
export async function listRuns(
  { prisma }: Database,
  filter: RunFilter,
  page: { readonly limit: number; readonly after?: string },
): Promise<RunPage> {
  // What cannot be stored cannot be found.
  if (!isStorable(`${filter.workflow ?? ''}${filter.tag ?? ''}`)) return { runs: [] };
  if (page.after !== undefined && !isRunId(page.after)) return { runs: [] };
  const rows = await prisma.run.findMany({
    where: conditions(filter, page.after),
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  const runs = rows.slice(0, page.limit).map(summaryOf);
  const next = rows.length > page.limit ? runs.at(-1)?.id : undefined;
  return next === undefined ? { runs } : { runs, next };
}

const unfinished: ReadonlySet<RunStatus> = new Set(['queued', 'running', 'waiting']);
const active: ReadonlySet<RunStatus> = new Set(['queued', 'running']);
const unsuccessful: ReadonlySet<RunStatus> = new Set(['failed', 'cancelled']);

function conditions(filter: RunFilter, after: string | undefined): Prisma.RunWhereInput {
  const { workflow, workflows, statuses, tag, trigger, from, to, isAsking } = filter;
  const all: Prisma.RunWhereInput[] = [];
  if (workflow !== undefined) all.push({ workflow });
  if (workflows !== undefined) all.push({ workflow: { in: [...workflows] } });
  if (statuses !== undefined) all.push({ status: { in: [...statuses] } });
  // What follows from the statuses, said so that their partial indexes apply.
  if (statuses?.every((status) => unfinished.has(status)) === true) all.push({ endedAt: null });
  if (statuses?.every((status) => active.has(status)) === true) all.push({ isWaiting: false });
  if (statuses?.every((status) => unsuccessful.has(status)) === true) all.push({ isUnsuccessful: true });
  if (tag !== undefined) all.push({ tags: { has: tag } }, { tags: { isEmpty: false } });
  if (trigger !== undefined) all.push({ triggerKind: trigger });
  if (isAsking === true) all.push({ questions: { gt: 0 } });
  if (from !== undefined) all.push({ id: { gte: firstRunId(from) } });
  if (to !== undefined) all.push({ id: { lt: firstRunId(to) } });
  if (after !== undefined) all.push({ id: { lt: after } });
  return { AND: all };
}
