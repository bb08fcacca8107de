/** Records that a rerun uses the large values of the run before it, without copying them. */
import { UnavailableError } from '@baton/runner';
import type { PoolClient } from 'pg';

import type { HashedEvent } from '../journal/appendStatement.ts';
import { family } from '../journal/blobUse.ts';

interface Rerun {
  readonly runId: string;
  /** The run before it: it is not removed before this transaction has ended. */
  readonly of: string;
  readonly events: readonly HashedEvent[];
}

/** Within the transaction that makes the run. Rejects with `UnavailableError` where the run before was just removed. */
export async function takeUses(client: PoolClient, { runId, of, events }: Rerun): Promise<void> {
  const { rowCount } = await client.query('select from run where id = $1 for key share', [of]);
  if (rowCount === 0) throw new UnavailableError(`run ${of} is being removed`);
  const digests = new Set(events.flatMap(({ data }) => [...data.matchAll(named)].map(([, digest]) => digest)));
  if (digests.size === 0) return;
  await client.query(
    `${family}
     insert into blob_use (sha256, run_id)
     select distinct sha256, $2::uuid from blob_use join family on run_id = family.id
     where sha256 in (select decode(digest, 'hex') from unnest($3::text[]) as digest)
     on conflict do nothing`,
    [of, runId, [...digests]],
  );
}

/**
 * As `Value` of libs/engine is written. What merely looks like it, and was not the run's, does not become this one's.
 */
const named = /"sha256":"([\da-f]{64})"/g;
