/** Replaces a value of a workflow's state, as a person does it. */
import { FailureError, tooLargeState } from '@baton/engine';
import type { Json } from '@baton/primitives';

import { noteActionWithin } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { type MayReplace, ReplacedError, checkReplacing } from '../database/replacing.ts';
import { inTransaction } from '../database/transaction.ts';
import { lockState, writeState } from '../state/writeState.ts';

interface StateSetting {
  readonly workflow: string;
  readonly key: string;
  readonly value: Json;
  /** The author, as the audit writes them. */
  readonly by: string;
  /** Called with the revision of the newest write. */
  readonly mayReplace?: MayReplace | undefined;
}

/**
 * Writes the value and its audit entry, which does not hold the value. Resolves to the revision that it wrote. Rejects
 * with `ReplacedError` if `mayReplace` refuses, with `FailureError` if the state grows too large, and with
 * `UnavailableError`.
 */
export async function setState(
  { pool, auditKeys, now }: Database,
  { workflow, key, value, by, mayReplace }: StateSetting,
): Promise<number> {
  const owner = { workflow, isInline: false };
  return inTransaction(pool, async (client) => {
    try {
      await lockState(client, owner);
      const { rows } = await client.query<{ newest: number | null }>(
        'select max(revision) as newest from state_value where workflow = $1 and not is_inline and key = $2',
        [workflow, key],
      );
      const newest = rows[0]?.newest ?? undefined;
      checkReplacing(`the state ${key} of ${workflow}`, newest, mayReplace);
      const refusal = await writeState(client, { ...owner, values: { [key]: value }, by });
      if (refusal !== undefined) throw new FailureError('limit-exceeded', tooLargeState().message);
      const detail = { keys: [key] };
      await noteActionWithin(client, { auditKeys, now }, { by, action: 'state.set', target: workflow, detail });
      return (newest ?? 0) + 1;
    } catch (error) {
      if (error instanceof ReplacedError) throw error;
      return rethrowUnavailable(error);
    }
  });
}
