import type { Database } from '../database/database.ts';
import { isStorable } from '../journal/storableText.ts';

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
