/** Ends a long-lived stream when its API key is revoked or expires. */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';

import type { Keyring } from './keyring.ts';
import type { Principal } from './scopes.ts';

const everyMs = 15_000;

/** Calls `end` when the key is no longer valid, unless the returned function was called before. */
export function watchKeyExpiry(
  { keyring, clock }: { readonly keyring: Pick<Keyring, 'isGood'>; readonly clock: Clock },
  principal: Principal,
  end: () => void,
): () => void {
  let cancel = (): void => undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const isGood = await keyring.isGood(principal).catch(ifAway);
    if (isOver) return;
    if (isGood) wait();
    else end();
  };
  const wait = (): void => {
    cancel = clock.after(everyMs, () => void look());
  };
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}

/** The last answer counts while the database is away. */
function ifAway(error: unknown): true {
  if (error instanceof UnavailableError) return true;
  throw error;
}
