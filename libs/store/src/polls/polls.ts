/** How far the triggers that poll have got: their rows, and the keys of the items that they have seen. */
import type { Json, JsonObject } from '@baton/primitives';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import type { Poll as Row } from '../generated/client.ts';
import { isStorable } from '../journal/storableText.ts';

/** What the last answered poll found. */
export interface PollFound {
  readonly items: number;
  /** Items that were there before. */
  readonly seen: number;
  /** Items that started runs, and some of the runs. */
  readonly started: number;
  readonly runs: readonly string[];
  /** New items that wait for the next poll. */
  readonly left: number;
  /** New items that were only marked as seen. */
  readonly passedOver: number;
  /** Items with the key of another one of the answer. */
  readonly repeated: number;
  /** Items that started no run, for how many which reason, and some of the items. */
  readonly refused: number;
  readonly reasons: readonly { readonly reason: string; readonly items: number }[];
  readonly refusals: readonly PollRefusal[];
  /** The server has lost events. */
  readonly gap?: true;
}

export interface PollRefusal {
  /** Its place in the list, counted from 0. */
  readonly index: number;
  readonly key?: string;
  readonly reason: string;
}

export interface PollState {
  readonly name: string;
  readonly workflow: string;
  readonly basis: string;
  readonly generation: number;
  /** What the next poll begins with; undefined: it goes on. */
  readonly begins: 'now' | 'all' | undefined;
  /** Epoch milliseconds. */
  readonly nextAt: number;
  readonly polledAt: number | undefined;
  /** Of events: where the server goes on; undefined: from now on. */
  readonly cursor: string | undefined;
  readonly found: PollFound | undefined;
  /** Why the last polls failed. */
  readonly failing: { readonly reason: string; readonly times: number; readonly since: number } | undefined;
}

/** Those of the names that were polled before. Rejects with `UnavailableError`. */
export async function readPolls({ prisma }: Database, names: readonly string[]): Promise<readonly PollState[]> {
  const rows = await prisma.poll.findMany({ where: { name: { in: names.filter(isStorable) } } });
  return rows.map(stateOf);
}

/** Which of the keys were seen before. Rejects with `UnavailableError`. */
export async function seenKeys(
  { pool }: Pick<Database, 'pool'>,
  name: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const text = 'select key from poll_key where poll = $1 and key = any($2::text[])';
  return new Set((await queryRows<{ key: string }>(pool, text, [name, keys])).map(({ key }) => key));
}

/** How many keys are remembered, by poll. Rejects with `UnavailableError`. */
export async function countKeys({ prisma }: Database, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await prisma.pollKey.groupBy({ by: ['poll'], where: { poll: { in: [...names] } }, _count: true });
  return new Map(rows.map(({ poll, _count }) => [poll, _count]));
}

export interface SeenItem {
  readonly key: string;
  /** For people, where the key is a digest. */
  readonly text: string | undefined;
  /** Epoch milliseconds. */
  readonly seenAt: number;
  /** Undefined: it was there before, and started none. */
  readonly runId: string | undefined;
}

/** The items that were seen last, newest first. Rejects with `UnavailableError`. */
export async function newestItems({ prisma }: Database, name: string, limit: number): Promise<readonly SeenItem[]> {
  const order = [{ seenAt: 'desc' }, { key: 'asc' }] as const;
  const rows = await prisma.pollKey.findMany({ where: { poll: name }, orderBy: [...order], take: limit });
  return rows.map(({ key, text, seenAt, runId }) => ({
    key,
    text: text ?? undefined,
    seenAt: seenAt.getTime(),
    runId: runId ?? undefined,
  }));
}

export interface PollFailure {
  readonly name: string;
  readonly workflow: string;
  readonly basis: string;
  readonly reason: string;
  /** Of the next poll, epoch milliseconds. */
  readonly nextAt: number;
}

/** Records that a poll failed. Rejects with `UnavailableError`. */
export async function failPoll({ pool, now }: Database, failure: PollFailure): Promise<void> {
  const { name, workflow, basis, reason, nextAt } = failure;
  await queryRows(
    pool,
    `insert into poll (name, workflow, basis, generation, begins, next_at, failure, failures, failing_since)
     values ($1, $2, $3, 0, null, to_timestamp($4 / 1000.0), $5, 1, to_timestamp($6 / 1000.0))
     on conflict (name) do update set failure = $5, failures = poll.failures + 1,
       failing_since = coalesce(poll.failing_since, excluded.failing_since), next_at = excluded.next_at`,
    [name, workflow, basis, nextAt, reason, now()],
  );
}

export type NamedPoll = Pick<PollState, 'name' | 'workflow' | 'basis'>;

/**
 * Forgets what the poll has seen: the next one begins as `begins` says, also where it is the first. Rejects with
 * `UnavailableError`.
 */
export async function resetPoll(
  { prisma, auditKeys, now }: Database,
  { name, workflow, basis }: NamedPoll,
  { begins, by }: { readonly begins: 'now' | 'all'; readonly by: string },
): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    const nextAt = new Date(now());
    await transaction.poll.upsert({
      where: { name },
      create: { name, workflow, basis, generation: 1, begins, nextAt },
      update: { begins, generation: { increment: 1 }, nextAt, cursor: null },
    });
    await transaction.pollKey.deleteMany({ where: { poll: name } });
    await noteAction(transaction, { auditKeys, now }, { by, action: 'poll.reset', target: name, detail: { begins } });
  });
}

/**
 * After a time that Postgres has lost: what may have started a run in it starts none. The first poll, or a reset, may have
 * been in that time too. `deployed`: all polls. Rejects with `UnavailableError`.
 */
export async function passOverPolls({ pool }: Pick<Database, 'pool'>, deployed: readonly NamedPoll[]): Promise<void> {
  const columns = (['name', 'workflow', 'basis'] as const).map((key) => deployed.map((poll) => poll[key]));
  await queryRows(
    pool,
    `insert into poll (name, workflow, basis, generation, begins, next_at)
     select name, workflow, basis, 1, 'now', now()
     from unnest($1::text[], $2::text[], $3::text[]) as deployed (name, workflow, basis) on conflict do nothing`,
    columns,
  );
  await queryRows(pool, `update poll set begins = 'now', generation = generation + 1, cursor = null`);
}

/** Records in the audit that a poll goes on failing, or refuses items. */
export async function auditPoll(
  { prisma, auditKeys, now }: Database,
  {
    action,
    name,
    detail,
  }: {
    readonly action: 'poll.failing' | 'poll.refused' | 'poll.gap';
    readonly name: string;
    readonly detail: JsonObject;
  },
): Promise<void> {
  await prisma.$transaction((transaction) =>
    noteAction(transaction, { auditKeys, now }, { by: `poll ${name}`, action, target: name, detail }),
  );
}

const stateOf = (row: Row): PollState => ({
  name: row.name,
  workflow: row.workflow,
  basis: row.basis,
  generation: row.generation,
  begins: (row.begins ?? undefined) as PollState['begins'],
  nextAt: row.nextAt.getTime(),
  polledAt: row.polledAt?.getTime(),
  cursor: row.cursor ?? undefined,
  found: foundIn(row.found as (PollFound & Json) | null),
  failing:
    row.failure === null || row.failingSince === null
      ? undefined
      : { reason: row.failure, times: row.failures, since: row.failingSince.getTime() },
});

/** Rows of an earlier Baton count less. */
const foundIn = (stored: PollFound | null): PollFound | undefined =>
  stored === null ? undefined : { ...stored, repeated: stored.repeated ?? 0, reasons: stored.reasons ?? [] };
