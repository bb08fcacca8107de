/** Reads what workflows remember. */
import type { StoredState } from '@baton/engine';
import { type Json, isStorableText } from '@baton/primitives';
import type { StateOwner, StateSource } from '@baton/runner';
import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';

/** One write of a key. */
export interface StateEntry {
  readonly key: string;
  /** Counts the writes of the key, from 1. */
  readonly revision: number;
  readonly value: Json;
  readonly at: Date;
  readonly by: string;
  /** The run that wrote it; undefined: a person did, or a trigger. */
  readonly runId: string | undefined;
}

interface EntryRow {
  readonly key: string;
  readonly revision: number;
  readonly value: string;
  readonly at: Date;
  readonly by: string;
  readonly run_id: string | null;
}

const columns = 'key, revision, value::text as value, at, by, run_id';

const entryOf = ({ value, run_id: runId, ...rest }: EntryRow): StateEntry => ({
  ...rest,
  value: JSON.parse(value) as Json,
  runId: runId ?? undefined,
});

/** The newest write of each key, by key. Rejects with `UnavailableError`. */
export async function readState({ pool }: Pick<Database, 'pool'>, owner: StateOwner): Promise<readonly StateEntry[]> {
  const rows = await queryRows<EntryRow>(
    pool,
    `select distinct on (key) ${columns} from state_value
     where workflow = $1 and is_inline = $2 order by key, revision desc`,
    [owner.workflow, owner.isInline],
  );
  return rows.map(entryOf);
}

/** The writes of a key that are kept, newest first. `before`: a revision. Rejects with `UnavailableError`. */
export async function listStateWrites(
  { pool }: Pick<Database, 'pool'>,
  { workflow, isInline, key }: StateOwner & { readonly key: string },
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<{ readonly writes: readonly StateEntry[]; readonly next?: number }> {
  if (!isStorableText(key)) return { writes: [] };
  const rows = await queryRows<EntryRow>(
    pool,
    `select ${columns} from state_value where workflow = $1 and is_inline = $2 and key = $3 and revision < $4
     order by revision desc limit $5`,
    [workflow, isInline, key, before ?? 2 ** 31 - 1, limit + 1],
  );
  const writes = rows.slice(0, limit).map(entryOf);
  const next = rows.length > limit ? writes.at(-1)?.revision : undefined;
  return next === undefined ? { writes } : { writes, next };
}

/** As a run reads it with its first claim. */
export const storedState = (pool: Pool): StateSource => ({
  read: async (owner): Promise<StoredState> => {
    const entries = await readState({ pool }, owner);
    return new Map(entries.map(({ key, value, revision }) => [key, { value, revision }]));
  },
});
