/** Reads what workflows remember. */
import type { StoredState } from '@baton/engine';
import type { Json } from '@baton/primitives';
import type { StateOwner, StateSource } from '@baton/runner';
import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';

/** One write of a key. */
interface StateEntry {
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
async function readState({ pool }: Pick<Database, 'pool'>, owner: StateOwner): Promise<readonly StateEntry[]> {
  const { rows } = await pool
    .query<EntryRow>(
      `select distinct on (key) ${columns} from state_value
       where workflow = $1 and is_inline = $2 order by key, revision desc`,
      [owner.workflow, owner.isInline],
    )
    .catch(rethrowUnavailable);
  return rows.map(entryOf);
}

/** As a run reads it with its first claim. */
export const storedState = (pool: Pool): StateSource => ({
  read: async (owner): Promise<StoredState> => {
    const entries = await readState({ pool }, owner);
    return new Map(entries.map(({ key, value, revision }) => [key, { value, revision }]));
  },
});
