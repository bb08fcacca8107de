/**
 * Writes state of a workflow inside a transaction: of a run, with the events that say so; of a person; of a trigger, with
 * the runs that it starts. This is the only place that does.
 */
import type { StateWrite } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type Json, type JsonObject, canonicalJson } from '@baton/primitives';
import type { StateOwner } from '@baton/runner';
import type { PoolClient } from 'pg';

export interface StateChange extends StateOwner {
  readonly values: JsonObject;
  /** Who asked for the run, or the key or trigger that writes. */
  readonly by: string;
  /** Absent: no run writes. */
  readonly runId?: string | undefined;
  readonly unlessChanged?: StateWrite['unlessChanged'];
}

/** Why nothing was written: end the transaction without a commit. */
export type StateRefusal =
  /** `by`: the run, or who else wrote the key meanwhile. */
  { readonly kind: 'changed'; readonly key: string; readonly by: string } | { readonly kind: 'too-large' };

interface NewestRow {
  readonly key: string;
  readonly revision: number;
  readonly bytes: number;
  readonly by: string;
  readonly run_id: string | null;
}

/**
 * Writers of one workflow's state wait for each other here until their transactions end. Rejects with the errors of `pg`.
 */
export async function writeState(client: PoolClient, change: StateChange): Promise<StateRefusal | undefined> {
  const { workflow, isInline, values } = change;
  const written = Object.entries(values).map(([key, value]) => ({ key, value, bytes: bytesOf(key, value) }));
  if (written.length === 0) return undefined;
  await lockState(client, change);
  const { rows } = await client.query<NewestRow>(
    `select distinct on (key) key, revision, bytes, by, run_id from state_value
     where workflow = $1 and is_inline = $2 order by key, revision desc`,
    [workflow, isInline],
  );
  const newest = new Map(rows.map((row) => [row.key, row]));
  for (const { key } of written) {
    const now = newest.get(key);
    if (hasChanged(change, key, now)) return { kind: 'changed', key, by: writerOf(now) };
  }
  const sizes = new Map([...rows, ...written].map(({ key, bytes }) => [key, bytes]));
  // A grown value is refused; a smaller one is not, also where the state was larger from the beginning.
  const total = sum(sizes.values());
  if (total > limits.state.bytes && total > sum(rows.map(({ bytes }) => bytes))) return { kind: 'too-large' };
  await insert(client, change, written, newest);
  return undefined;
}

/** Other writers of this state wait until the transaction ends. The number of the table keeps the lock apart from others. */
export async function lockState(client: PoolClient, { workflow, isInline }: StateOwner): Promise<void> {
  await client.query(`select pg_advisory_xact_lock('state_value'::regclass::oid::int, hashtext($1))`, [
    `${isInline} ${workflow}`,
  ]);
}

interface WrittenValue {
  readonly key: string;
  readonly value: Json;
  readonly bytes: number;
}

async function insert(
  client: PoolClient,
  { workflow, isInline, by, runId }: StateChange,
  written: readonly WrittenValue[],
  newest: ReadonlyMap<string, NewestRow>,
): Promise<void> {
  const keys = written.map(({ key }) => key);
  const revisions = keys.map((key) => (newest.get(key)?.revision ?? 0) + 1);
  await client.query(
    `insert into state_value (workflow, is_inline, key, revision, value, bytes, by, run_id)
     select $1, $2, w.key, w.revision, w.value::json, w.bytes, $7, $8
     from unnest($3::text[], $4::int[], $5::text[], $6::int[]) as w(key, revision, value, bytes)`,
    [
      workflow,
      isInline,
      keys,
      revisions,
      written.map(({ value }) => JSON.stringify(value)),
      written.map(({ bytes }) => bytes),
      by,
      runId ?? null,
    ],
  );
  await client.query(
    `delete from state_value using unnest($3::text[], $4::int[]) as w(key, revision)
     where workflow = $1 and is_inline = $2 and state_value.key = w.key and state_value.revision < w.revision - $5`,
    [workflow, isInline, keys, revisions, limits.state.history],
  );
}

/** Its own writes, and those of the runs that it goes on from, are none of another run. */
function hasChanged({ unlessChanged, runId }: StateChange, key: string, now: NewestRow | undefined): boolean {
  if (unlessChanged === undefined || now === undefined) return false;
  if (now.revision === (unlessChanged.revisions[key] ?? 0)) return false;
  return now.run_id === null || ![runId, ...unlessChanged.writers].includes(now.run_id);
}

const writerOf = (now: NewestRow | undefined): string =>
  typeof now?.run_id === 'string' ? `run ${now.run_id}` : (now?.by ?? '');

const bytesOf = (key: string, value: Json): number =>
  Buffer.byteLength(canonicalJson(key)) + Buffer.byteLength(canonicalJson(value)) + 2;

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);
