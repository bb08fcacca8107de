import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { isStorable } from '../journal/storableText.ts';
import type { Idempotency } from './runRequest.ts';

/** The first request with an idempotency key. */
export interface UsedIdempotencyKey {
  readonly runId: string;
  /** Digest of the request's body. */
  readonly digest: string;
}

/** Undefined where the key has not been used within this scope. */
export async function getIdempotencyKey(
  { prisma }: Database,
  { scope, key }: { readonly scope: string; readonly key: string },
): Promise<UsedIdempotencyKey | undefined> {
  if (!isStorable(scope + key)) return undefined;
  const found = await prisma.idempotencyKey.findUnique({
    where: { scope_key: { scope, key } },
    select: { runId: true, digest: true },
  });
  return found ?? undefined;
}

/** Of a request that is answered with a run that exists. Rejects with `UnavailableError`. */
export async function keepIdempotencyKey(
  { pool }: Pick<Database, 'pool'>,
  { scope, key, digest }: Idempotency,
  runId: string,
): Promise<void> {
  const statement =
    'insert into idempotency_key (scope, key, digest, run_id) values ($1, $2, $3, $4) on conflict do nothing';
  await queryRows(pool, statement, [scope, key, digest, runId]);
}
