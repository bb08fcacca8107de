/** An append that writes state: its events and what they write are stored in one transaction, or neither is. */
import { stateChanged, tooLargeState } from '@baton/engine';
import { StateRefusedError } from '@baton/runner';
import type { Pool, QueryArrayConfig } from 'pg';

import { inTransaction } from '../database/transaction.ts';
import { writeState } from '../state/writeState.ts';
import type { PendingAppend } from './pendingAppend.ts';

/**
 * State first: its lock makes concurrent runs decide one after the other. Rejects with `StateRefusedError`, with the errors
 * of `pg` and with `UnavailableError`.
 */
export function appendWithState(
  pool: Pool,
  { runId, state }: Pick<PendingAppend, 'runId' | 'state'>,
  statement: QueryArrayConfig,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    const { workflow = '', isInline = false, by = '', writes = [] } = state ?? {};
    await client.query(`set local lock_timeout = '5s'`);
    for (const { path, values, unlessChanged } of writes) {
      const refusal = await writeState(client, { workflow, isInline, by, runId, values, unlessChanged });
      if (refusal === undefined) continue;
      const failure = refusal.kind === 'changed' ? stateChanged(refusal.key, refusal.by, path) : tooLargeState(path);
      throw new StateRefusedError(runId, path, failure);
    }
    const { name: _name, ...unnamed } = statement;
    await client.query(unnamed);
  });
}
