/** Stores recent requests to webhooks and their outcomes, without bodies. */
import type { Database } from '../database/database.ts';

export interface HookDelivery {
  readonly at: number;
  readonly outcome: 'started' | 'repeated' | 'ignored' | 'refused';
  readonly reason: string | undefined;
  readonly runId: string | undefined;
}

export interface HookName {
  readonly workflow: string;
  readonly hook: string;
}

/** Deliveries kept for one hook. */
const keptMax = 50;
const keptDays = 7;

/** Rejects with `UnavailableError`. */
export async function noteHookDelivery(
  { prisma }: Database,
  { workflow, hook }: HookName,
  { outcome, reason, runId }: Omit<HookDelivery, 'at'>,
): Promise<void> {
  await prisma.$executeRaw`
    insert into hook_delivery (workflow, hook, outcome, reason, run_id)
    values (${workflow}, ${hook}, ${outcome}, ${reason ?? null}, ${runId ?? null}::uuid)`;
  await prisma.$executeRaw`
    delete from hook_delivery where at < now() - ${keptDays} * interval '1 day' or id in
      (select id from hook_delivery where workflow = ${workflow} and hook = ${hook} order by id desc offset ${keptMax})`;
}

/** Newest first. Rejects with `UnavailableError`. */
export async function listHookDeliveries(
  { prisma, now }: Database,
  { workflow, hook }: HookName,
): Promise<readonly HookDelivery[]> {
  const from = new Date(now() - keptDays * 24 * 3_600_000);
  const rows = await prisma.hookDelivery.findMany({
    where: { workflow, hook, at: { gte: from } },
    orderBy: { id: 'desc' },
    take: keptMax,
  });
  return rows.map(({ at, outcome, reason, runId }) => ({
    at: at.getTime(),
    outcome: outcome as HookDelivery['outcome'],
    reason: reason ?? undefined,
    runId: runId ?? undefined,
  }));
}
