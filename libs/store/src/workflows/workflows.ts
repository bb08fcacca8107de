/** Deployed workflows: their names and their versions. */
import type { Json } from '@baton/primitives';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { type MayReplace, checkReplacing } from '../database/replacing.ts';
import { workflowFilters } from '../database/workflowConditions.ts';
import type { Prisma } from '../generated/client.ts';
import { isStorable } from '../journal/storableText.ts';
import { placeIn } from '../schedules/placeSchedules.ts';
import { type Definition, definitionIn } from './definitions.ts';

export interface WorkflowSummary {
  readonly id: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The newest version. */
  readonly version: number;
  readonly createdAt: number;
  readonly deployedAt: number;
  /** Since when no trigger starts it, and who paused it; undefined: it is not paused. */
  readonly paused: { readonly at: number; readonly by: string } | undefined;
  /** Its name as an MCP tool, and since when it has it; undefined: it is no tool. */
  readonly tool: { readonly name: string; readonly since: number } | undefined;
}

export interface DeployedVersion {
  readonly workflow: string;
  readonly version: number;
  readonly definition: Definition;
  readonly findings: readonly Json[];
  readonly deployedBy: string;
  readonly deployedAt: number;
}

interface WorkflowRow {
  readonly id: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly latest: number;
  readonly createdAt: Date;
  readonly deployedAt: Date;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly tool: string | null;
  readonly toolSince: Date | null;
}

const summaryOf = ({
  id,
  title,
  description,
  latest,
  createdAt,
  deployedAt,
  pausedAt,
  pausedBy,
  tool,
  toolSince,
}: WorkflowRow): WorkflowSummary => ({
  id,
  title: title ?? undefined,
  description: description ?? undefined,
  version: latest,
  createdAt: createdAt.getTime(),
  deployedAt: deployedAt.getTime(),
  paused: pausedAt === null ? undefined : { at: pausedAt.getTime(), by: pausedBy ?? '' },
  tool: tool === null || toolSince === null ? undefined : { name: tool, since: toolSince.getTime() },
});

/** In order of their names. `after`: the last name of the previous page. `among`: patterns; only what they match. */
export async function listWorkflows(
  { prisma }: Database,
  { limit, after = '', among }: { readonly limit: number; readonly after?: string; readonly among?: readonly string[] },
): Promise<{ readonly workflows: readonly WorkflowSummary[]; readonly next?: string }> {
  if (!isStorable(after)) return { workflows: [] };
  const rows = await prisma.workflow.findMany({
    where: { deletedAt: null, id: { gt: after }, ...anyOf(among) },
    orderBy: { id: 'asc' },
    take: limit + 1,
  });
  const workflows = rows.slice(0, limit).map(summaryOf);
  const next = rows.length > limit ? workflows.at(-1)?.id : undefined;
  return next === undefined ? { workflows } : { workflows, next };
}

/** `id` is the name of the workflow. */
export function anyOf(patterns: readonly string[] = ['*']): Pick<Prisma.WorkflowWhereInput, 'OR'> {
  const filters = workflowFilters(patterns);
  return filters === undefined ? {} : { OR: filters.map((id) => ({ id })) };
}

export async function getWorkflow({ prisma }: Database, id: string): Promise<WorkflowSummary | undefined> {
  if (!isStorable(id)) return undefined;
  const row = await prisma.workflow.findFirst({ where: { id, deletedAt: null } });
  return row === null ? undefined : summaryOf(row);
}

/** Finds versions of deleted workflows, too: runs still refer to them. */
export async function getWorkflowVersion(
  { prisma }: Database,
  workflow: string,
  version: number,
): Promise<DeployedVersion | undefined> {
  if (!isStorable(workflow) || !Number.isInteger(version) || version < 1 || version >= 2 ** 31) return undefined;
  const row = await prisma.workflowVersion.findUnique({
    where: { workflowId_version: { workflowId: workflow, version } },
    include: { definition: true },
  });
  if (row === null) return undefined;
  return {
    workflow,
    version,
    definition: definitionIn(row.definition),
    findings: row.findings as readonly Json[],
    deployedBy: row.deployedBy,
    deployedAt: row.deployedAt.getTime(),
  };
}

/**
 * Marks a workflow as deleted. Runs that have begun keep their definition and continue. False where there is no such
 * workflow. Rejects with `ReplacedError` if `mayReplace` refuses.
 */
export async function deleteWorkflow(
  { prisma, auditKeys, now }: Database,
  id: string,
  by: string,
  mayReplace?: MayReplace,
): Promise<boolean> {
  if (!isStorable(id)) return false;
  return prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`select 1 from workflow where id = ${id} for update`;
    const found = await transaction.workflow.findFirst({ where: { id, deletedAt: null } });
    if (found === null) return false;
    checkReplacing(id, found.latest, mayReplace);
    await transaction.workflow.update({ where: { id }, data: { deletedAt: new Date(now()), scheduled: null } });
    await placeIn(transaction, { workflow: id, version: undefined, triggers: [], by, auditKeys, now });
    const ofTriggers = { where: { trigger: { startsWith: `${id} ` } } };
    await transaction.runStreak.deleteMany(ofTriggers);
    await transaction.runWatch.deleteMany(ofTriggers);
    await transaction.runNotice.deleteMany(ofTriggers);
    await noteAction(transaction, { auditKeys, now }, { by, action: 'workflow.deleted', target: id });
    return true;
  });
}

/** False where there is no such workflow. Does nothing if it is paused already. */
export async function pauseWorkflow(database: Database, id: string, by: string): Promise<boolean> {
  return setPaused(
    database,
    { id, by, action: 'workflow.paused' },
    { pausedAt: new Date(database.now()), pausedBy: by },
  );
}

/** False where there is no such workflow. */
export async function resumeWorkflow(database: Database, id: string, by: string): Promise<boolean> {
  return setPaused(database, { id, by, action: 'workflow.resumed' }, { pausedAt: null, pausedBy: null });
}

async function setPaused(
  { prisma, auditKeys, now }: Database,
  {
    id,
    by,
    action,
  }: { readonly id: string; readonly by: string; readonly action: 'workflow.paused' | 'workflow.resumed' },
  data: { readonly pausedAt: Date | null; readonly pausedBy: string | null },
): Promise<boolean> {
  if (!isStorable(id)) return false;
  return prisma.$transaction(async (transaction) => {
    const found = await transaction.workflow.findFirst({ where: { id, deletedAt: null } });
    if (found === null) return false;
    const where = { id, pausedAt: data.pausedAt === null ? { not: null } : null };
    const { count } = await transaction.workflow.updateMany({ where, data });
    if (count > 0) await noteAction(transaction, { auditKeys, now }, { by, action, target: id });
    return true;
  });
}
