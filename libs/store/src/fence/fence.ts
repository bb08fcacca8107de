/**
 * The fence: a row that stands while the database is back in time, and no person has let its runs go on. Every process
 * reads it; none drives a run, fires a schedule or sends anything while it stands.
 */
import type { LostInterval } from '@baton/engine';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import type { Ask } from '../database/guardedClient.ts';

/** `restored` from a backup; `behind` what a process had seen in the database. */
type FenceCause = 'restored' | 'behind';

export interface RaisedFence extends LostInterval {
  readonly cause: FenceCause;
  /** A sentence for operators. */
  readonly message: string;
}

/** The end of each message. */
export const untilLifted =
  'No run goes on until a person lifts the fence: `baton fence show` says what is missing, `baton fence lift` lifts it.';

/** The row as JSON, for a `select`; null: the fence does not stand. */
export const fenceColumn = `(select json_build_object('cause', cause, 'from', from_at, 'to', to_at, 'message', message) from fence)`;

/** Where it stands already, its lost time becomes longer. Rejects with the errors of `pg`. */
export async function raiseFence(ask: Ask, { cause, from, to, message }: RaisedFence): Promise<void> {
  await ask(
    `insert into fence (id, cause, from_at, to_at, message) values (1, $1, $2, $3, $4)
     on conflict (id) do update set from_at = least(fence.from_at, $2), to_at = greatest(fence.to_at, $3)`,
    [cause, Math.floor(Math.min(from, to)), Math.ceil(to), message],
  );
}

/** Undefined: it does not stand. Rejects with `UnavailableError`. */
export async function readFence({ prisma }: Pick<Database, 'prisma'>): Promise<RaisedFence | undefined> {
  const row = await prisma.fence.findFirst();
  if (row === null) return undefined;
  return { cause: row.cause as FenceCause, from: Number(row.from), to: Number(row.to), message: row.message };
}

export interface FenceLift {
  readonly by: string;
  readonly reason: string;
  /** Calls of the lost time are taken for not made. */
  readonly isTrusted: boolean;
  /** Number of runs that were told that they went back in time. */
  readonly runs: number;
}

/** Removes the row and writes the entry. False where it does not stand. Rejects with `UnavailableError`. */
export async function removeFence(
  { prisma, auditKeys, now }: Database,
  { by, reason, isTrusted, runs }: FenceLift,
): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const fence = await transaction.fence.findFirst();
    if (fence === null) return false;
    await transaction.fence.deleteMany();
    const [from, to] = [fence.from, fence.to].map((at) => new Date(Number(at)).toISOString());
    const detail = { reason, cause: fence.cause, from: from ?? '', to: to ?? '', runs, trust: isTrusted };
    await noteAction(transaction, { auditKeys, now }, { by, action: 'fence.lifted', target: 'database', detail });
    return true;
  });
}
