/** What workflows that are gone have left: their state, and the values of projects in which no workflow is deployed. */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';

/** Of a workflow, its project: the first part of its name (`projectOf` of libs/language). */
const project = `case when position('/' in workflow.id) = 0 then 'default' else split_part(workflow.id, '/', 1) end`;

/** Until then the workflow can be deployed again, and reads what it left. */
const stateText = `
  delete from state_value where not is_inline and exists (
    select from workflow where workflow.id = state_value.workflow and deleted_at < $1)`;

/** A value that a text has put which came with its run belongs to no deployment. */
const valuesText = `
  delete from kv_value where at < $1 and (is_inline or not exists (
    select from workflow where ${project} = kv_value.project and (deleted_at is null or deleted_at >= $1)))`;

export interface RemovedLeft {
  /** Writes of state. */
  readonly states: number;
  /** Values of `kv`. */
  readonly shared: number;
}

/** Looks at all of both tables: once in a pass. `before`: epoch milliseconds. Rejects with `UnavailableError`. */
export async function removeLeft(
  { prisma, auditKeys, now }: Database,
  order: { readonly before: number },
): Promise<RemovedLeft> {
  const before = new Date(order.before);
  return prisma.$transaction(async (transaction) => {
    const states = await transaction.$executeRawUnsafe(stateText, before);
    const shared = await transaction.$executeRawUnsafe(valuesText, before);
    if (states + shared === 0) return { states, shared };
    const detail = { before: before.toISOString(), states, shared };
    const entry = { by: 'retention', action: 'records.removed', target: 'records', detail } as const;
    await noteAction(transaction, { auditKeys, now }, entry);
    return { states, shared };
  });
}
