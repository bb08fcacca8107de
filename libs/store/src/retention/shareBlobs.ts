/** Records that a rerun refers to large values of the run that it reruns, without copying them. */
import { UnavailableError } from '@baton/runner';
import type { PoolClient } from 'pg';

import type { HashedEvent } from '../journal/appendStatement.ts';
import { family } from '../journal/blobUse.ts';

interface Rerun {
  readonly runId: string;
  /** The run that it reruns; it cannot be removed before this transaction ends. */
  readonly of: string;
  readonly events: readonly HashedEvent[];
}

/** Call it within the transaction that makes the run. Rejects with `UnavailableError` if the rerun run was just removed. */
export async function shareBlobs(client: PoolClient, { runId, of, events }: Rerun): Promise<void> {
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

/** A reference to a blob, as `Value` of libs/engine writes it. The statement ignores digests that the old run lacks. */
const named = /"sha256":"([\da-f]{64})"/g;
