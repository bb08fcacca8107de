/**
 * Audit entries: actions on the installation itself, such as setting secrets, making keys and deploying workflows. All
 * entries form one chain; each is written in the transaction of its action.
 */
import { hash } from 'node:crypto';

import type { AuditedAction } from '@baton/api';
import type { JsonObject } from '@baton/primitives';
import type { PoolClient } from 'pg';

import { takeLock } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { Prisma } from '../generated/client.ts';
import { genesis } from '../journal/chain.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';

export interface NewEntry {
  /** Id of the API key that acted, or the part of Baton that acted by itself, such as `retention`. */
  readonly by: string;
  readonly action: AuditedAction;
  /** The object of the action: a key, a secret, a workflow. */
  readonly target: string;
  readonly detail?: JsonObject;
}

export interface ChainedEntry {
  /** Counted from 1. */
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly action: string;
  readonly target: string;
  /** The exact JSON text that was hashed. */
  readonly detail: string;
}

/** Hexadecimal SHA-256 of three lines in UTF-8: the previous hash (hexadecimal), the fields as JSON, the detail. */
export const entryHash = (before: string, { seq, at, by, action, target, detail }: ChainedEntry): string =>
  hash('sha256', `${before}\n${JSON.stringify([seq, at, by, action, target])}\n${detail}`, 'hex');

type AuditTransaction = Pick<Database['prisma'], '$executeRaw' | '$queryRaw'>;

type Noting = Pick<Database, 'auditKeys' | 'now'>;

interface LastEntry {
  readonly seq: number;
  readonly hash: Uint8Array;
}

const lastEntry = 'select seq, hash from audit_entry order by seq desc limit 1';

/** Writes an entry. Call it last in the action's transaction: it takes a lock for which other writers wait. */
export async function noteAction(transaction: AuditTransaction, noting: Noting, action: NewEntry): Promise<void> {
  checkStorable('audit entry', action.by, action.target);
  await transaction.$executeRaw(Prisma.raw(takeLock('noting')));
  const [last] = await transaction.$queryRaw<LastEntry[]>(Prisma.raw(lastEntry));
  const { seq, at, by, detail, hash: hashed, mark, ...named } = nextEntry(last, noting, action);
  // Written as text: Prisma would format the JSON again, and the hash covers this text.
  await transaction.$executeRaw`
    insert into audit_entry (seq, at, by, action, target, detail, hash, mark)
    values (${seq}, ${at}::bigint, ${by}, ${named.action}, ${named.target}, ${detail}::json, ${hashed}, ${mark})`;
}

/** The same in a transaction of `pg`. Rejects with the errors of `pg`. */
export async function noteActionWithin(client: PoolClient, noting: Noting, action: NewEntry): Promise<void> {
  checkStorable('audit entry', action.by, action.target);
  await client.query(takeLock('noting'));
  const { rows } = await client.query<LastEntry>(lastEntry);
  const { seq, at, by, target, detail, hash: hashed, mark } = nextEntry(rows[0], noting, action);
  await client.query(
    `insert into audit_entry (seq, at, by, action, target, detail, hash, mark)
     values ($1, $2::bigint, $3, $4, $5, $6::json, $7, $8)`,
    [seq, at, by, action.action, target, detail, hashed, mark],
  );
}

function nextEntry(
  last: LastEntry | undefined,
  { auditKeys: keys, now }: Noting,
  { by, action, target, detail = {} }: NewEntry,
) {
  const before = last === undefined ? genesis : Buffer.from(last.hash).toString('hex');
  const entry = { seq: (last?.seq ?? 0) + 1, at: now(), by, action, target, detail: JSON.stringify(detail) };
  const head = entryHash(before, entry);
  return { ...entry, hash: Buffer.from(head, 'hex'), mark: Buffer.from(keys.mark(head), 'hex') };
}

const idIn = (written: string): string => `split_part(split_part(${written}, '(', 2), ')', 1)`;

/**
 * By the id that is written, where there is one: a person's name may have changed. Also what they did through a key or a
 * client. See `writtenAs` of `libs/control`.
 */
export const byCondition = (parameter: number): string =>
  `(by = $${parameter} or ${idIn('by')} = nullif(${idIn(`$${parameter}::text`)}, ''))`;

export interface EntryFilter {
  readonly action?: string;
  readonly by?: string;
  readonly target?: string;
  /** Written at this instant or later, epoch milliseconds. */
  readonly from?: number;
  /** Written before this instant. */
  readonly to?: number;
}

/** Newest first. `before`: the position of the last entry of the previous page. Rejects with `UnavailableError`. */
export async function listEntries(
  { pool }: Database,
  filter: EntryFilter,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<{ readonly entries: readonly ChainedEntry[]; readonly next?: number }> {
  const { action, by, target, from, to } = filter;
  if (![action, by, target].every((text) => text === undefined || isStorable(text))) return { entries: [] };
  const values: (string | number)[] = [];
  const conditions = Object.entries({
    'seq <': before,
    'action =': action,
    'target =': target,
    'at >=': from,
    'at <': to,
  }).flatMap(([condition, value]) => (value === undefined ? [] : [`${condition} $${values.push(value)}`]));
  if (by !== undefined) conditions.push(byCondition(values.push(by)));
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  type Row = Omit<ChainedEntry, 'at'> & { readonly at: string };
  const { rows } = await pool
    .query<Row>(
      `select seq, at, by, action, target, detail::text as detail from audit_entry ${where}
     order by seq desc limit $${values.push(limit + 1)}`,
      values,
    )
    .catch(rethrowUnavailable);
  const entries = rows.slice(0, limit).map((row) => ({ ...row, at: Number(row.at) }));
  const next = rows.length > limit ? entries.at(-1)?.seq : undefined;
  return next === undefined ? { entries } : { entries, next };
}
