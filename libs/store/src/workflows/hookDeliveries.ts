/** Stores recent requests to webhooks and their outcomes, without bodies. */
import { cleanText } from '@baton/primitives';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';

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
  { pool }: Database,
  { workflow, hook }: HookName,
  { outcome, reason, runId }: Omit<HookDelivery, 'at'>,
): Promise<void> {
  await queryRows(
    pool,
    'insert into hook_delivery (workflow, hook, outcome, reason, run_id) values ($1, $2, $3, $4, $5)',
    [workflow, hook, outcome, reason && cleanText(reason), runId],
  );
  await queryRows(
    pool,
    `delete from hook_delivery where at < now() - $1 * interval '1 day' or id in
      (select id from hook_delivery where workflow = $2 and hook = $3 order by id desc offset $4)`,
    [keptDays, workflow, hook, keptMax],
  );
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
