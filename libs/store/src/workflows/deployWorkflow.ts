import type { ScheduleChange } from '@baton/api';
import type { Json, JsonObject } from '@baton/primitives';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { type MayReplace, checkReplacing } from '../database/replacing.ts';
import type { Prisma } from '../generated/client.ts';
import { checkStorable } from '../journal/storableText.ts';
import { type PlacedTrigger, placeIn } from '../schedules/placeSchedules.ts';
import { type Definition, putDefinition } from './definitions.ts';
import { textOfVersion } from './deploymentOf.ts';
import { noTool, takeToolName, toolNameIn } from './toolNames.ts';

export interface Deployment {
  readonly workflow: string;
  readonly title?: string;
  readonly description?: string;
  readonly definition: Definition;
  /** Warnings of the check; a definition with errors is not deployed. */
  readonly findings: readonly Json[];
  /** Its schedules. Absent: they are placed later. */
  readonly schedules?: readonly PlacedTrigger[];
  readonly by: string;
  readonly mayReplace?: MayReplace | undefined;
  /** Only the pins of its tools are other ones: what changed, and what proved that it can go on. */
  readonly repinned?: JsonObject;
}

export interface DeployOutcome {
  readonly version: number;
  /** False where the newest version has the same content. */
  readonly isNew: boolean;
  /** What became of each of its schedules. */
  readonly schedules: readonly ScheduleChange[];
}

/**
 * Stores the next version, unless the content equals the newest. Version numbers continue after a deletion, so that a
 * number names one content for ever. Deployments of one workflow wait for each other. Rejects with `ReplacedError` if
 * `mayReplace` refuses, and with `ToolNameTakenError` if its tool name belongs to another workflow.
 */
export async function deployWorkflow(
  { prisma, auditKeys, now }: Database,
  deployment: Deployment,
): Promise<DeployOutcome> {
  const { workflow, title = null, description = null, definition, by } = deployment;
  const { digest } = definition;
  checkStorable('workflow', workflow, title ?? undefined, description ?? undefined, by);
  const tool = toolNameIn(definition.source);
  return prisma.$transaction(async (transaction) => {
    await putDefinition({ prisma: transaction }, definition);
    await transaction.workflow.createMany({ data: [{ id: workflow, latest: 0 }], skipDuplicates: true });
    await transaction.$queryRaw`select 1 from workflow where id = ${workflow} for update`;
    const { latest, deletedAt, ...before } = await transaction.workflow.findUniqueOrThrow({ where: { id: workflow } });
    const current = latest === 0 || deletedAt !== null ? undefined : latest;
    const hasName = current !== undefined && before.tool === tool;
    if (tool !== noTool && !hasName) await takeToolName(transaction, workflow, tool);
    checkReplacing(workflow, current, deployment.mayReplace);
    const newest = await transaction.workflowVersion.findUnique({
      where: { workflowId_version: { workflowId: workflow, version: latest } },
    });
    const isNew = newest?.digest !== digest;
    const version = isNew ? latest + 1 : latest;
    if (isNew) {
      const findings = deployment.findings as Prisma.InputJsonValue;
      await transaction.workflowVersion.create({
        data: { workflowId: workflow, version, digest, findings, deployedBy: by, deployedAt: new Date(now()) },
      });
    } else await noteAgreement(transaction, { workflow, version, by, at: new Date(now()) });
    const deployedAt = isNew ? { deployedAt: new Date(now()) } : {};
    const named = hasName ? {} : { tool, toolSince: tool === noTool ? null : new Date(now()) };
    const triggers = deployment.schedules;
    const placing = { workflow, version, by, auditKeys, now };
    const schedules = triggers && (await placeIn(transaction, { ...placing, triggers }));
    const scheduled = triggers === undefined ? {} : { scheduled: version };
    await transaction.workflow.update({
      where: { id: workflow },
      data: { title, description, latest: version, deletedAt: null, ...scheduled, ...deployedAt, ...named },
    });
    // What made its polls fail may be mended: they wait no longer.
    if (isNew)
      await transaction.poll.updateMany({
        where: { workflow, failure: { not: null } },
        data: { nextAt: new Date(now()) },
      });
    const detail = { version, digest };
    const entry = { by, target: workflow };
    const noting = { auditKeys, now };
    if (isNew) await noteAction(transaction, noting, { ...entry, action: 'workflow.deployed', detail });
    const { repinned } = deployment;
    if (isNew && repinned !== undefined)
      await noteAction(transaction, noting, { ...entry, action: 'tools.repinned', detail: { version, ...repinned } });
    return { version, isNew, schedules: schedules ?? [] };
  });
}

/** Who deployed a text deploys it again: what it calls has changed since, and they agree to that. Others agree to nothing. */
async function noteAgreement(
  transaction: Pick<Database['prisma'], 'workflowVersion'>,
  { workflow, version, by, at }: { workflow: string; version: number; by: string; at: Date },
): Promise<void> {
  const text = await transaction.workflowVersion.findFirst(textOfVersion(workflow, version));
  if (text === null || actorId(text.deployedBy) !== actorId(by)) return;
  const key = { workflowId: workflow, version: text.version };
  await transaction.workflowVersion.update({ where: { workflowId_version: key }, data: { agreedAt: at } });
}

/** Names have no brackets, so the first ones hold the id of who acts, with any key. */
const actorId = (written: string): string => /\(([^()]*)\)/.exec(written)?.[1] ?? written;
