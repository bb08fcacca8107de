/**
 * Assigns the names of workflows that are offered as MCP tools: a name belongs to the workflow that was first deployed
 * with it. The name of a workflow is its own, also where it is not offered: `payments_refunds` is that of
 * `payments/refunds`.
 */
import { defaultToolName, parseWorkflow, type Workflow, workflowOfToolName } from '@baton/language';
import type { Client } from 'pg';

import type { Database } from '../database/database.ts';
import { isStorable } from '../journal/storableText.ts';
import { anyOf } from './workflows.ts';

const elderFirst = [{ toolSince: 'asc' as const }, { id: 'asc' as const }];

/** Stored for a workflow that is not a tool; null is stored where this was not determined yet. */
export const noTool = '';

/** The name belongs to another workflow, `owner`. */
export class ToolNameTakenError extends Error {
  override readonly name = 'ToolNameTakenError';
  readonly tool: string;
  readonly owner: string;

  constructor(tool: string, owner: string) {
    super(`the tool name ${tool} belongs to the workflow ${owner}`);
    this.tool = tool;
    this.owner = owner;
  }
}

/** The workflow's name as a tool; undefined: it is not offered as one. */
export function toolNameOf({ workflow, on = [] }: Pick<Workflow, 'workflow' | 'on'>): string | undefined {
  const trigger = on.find((one) => 'tool' in one);
  return trigger === undefined ? undefined : (trigger.tool.name ?? defaultToolName(workflow));
}

/** The tool name in a workflow's text, as the workflow's row stores it. */
export function toolNameIn(source: string): string {
  const { workflow } = parseWorkflow(source);
  return (workflow && toolNameOf(workflow)) ?? noTool;
}

/**
 * Call it within the transaction that deploys. It locks the name, so that a concurrent deployment sees this one. Throws
 * `ToolNameTakenError`.
 */
export async function takeToolName(
  transaction: Pick<Database['prisma'], '$executeRaw' | 'workflow'>,
  workflow: string,
  tool: string,
): Promise<void> {
  await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended('tool ' || ${tool}, 0))`;
  const owner = await transaction.workflow.findFirst({
    where: { deletedAt: null, id: { not: workflow }, OR: [{ tool }, { id: { in: [tool, workflowOfToolName(tool)] } }] },
    orderBy: elderFirst,
  });
  if (owner !== null) throw new ToolNameTakenError(tool, owner.id);
}

/**
 * The workflow that the name belongs to. `among`: patterns; only what they match. Old databases may have several with one name; the
 * first deployed wins.
 */
export async function findToolOwner(
  { prisma }: Pick<Database, 'prisma'>,
  tool: string,
  among?: readonly string[],
): Promise<string | undefined> {
  if (tool === noTool || !isStorable(tool)) return undefined;
  const owner = await prisma.workflow.findFirst({
    where: { tool, deletedAt: null, ...anyOf(among) },
    orderBy: elderFirst,
    select: { id: true },
  });
  return owner?.id;
}

/** Stores the names of workflows that an older Baton deployed, and since when they have had them. */
export async function noteOldToolNames(client: Client): Promise<void> {
  const { rows } = await client.query<{ id: string }>('select id from workflow where tool is null order by id');
  for (const { id } of rows) {
    const { tool, since } = await oldToolName(client, id);
    await client.query('update workflow set tool = $2, tool_since = $3 where id = $1 and tool is null', [
      id,
      tool,
      since,
    ]);
  }
}

/** `since`: the first deployment from which on every version has the name. */
async function oldToolName(client: Client, id: string): Promise<{ tool: string; since: Date | undefined }> {
  let tool: string | undefined;
  let since: Date | undefined;
  for (let before = 2 ** 31 - 1; ;) {
    const { rows } = await client.query<{ version: number; deployed_at: Date; source: string }>(
      `select version, deployed_at, source from workflow_version join definition using (digest)
      where workflow_id = $1 and version < $2 order by version desc limit 1`,
      [id, before],
    );
    const [found] = rows;
    const name = found && toolNameIn(found.source);
    tool ??= name ?? noTool;
    if (found === undefined || tool === noTool || name !== tool) return { tool, since };
    since = found.deployed_at;
    before = found.version;
  }
}
