/** Ends a long-lived stream when its API key is revoked or expires, or gives other rights than when the stream began. */
import { unawaited } from '@baton/primitives';
import { type Clock, UnavailableError } from '@baton/runner';

import { IdentityUnavailableError } from './identityUnavailable.ts';
import type { Keyring } from './keyring.ts';
import type { Principal } from './scopes.ts';

const everyMs = 15_000;

/** Calls `end` when the caller no longer has the rights that it began with, unless the returned function was called before. */
export function watchKeyExpiry(
  { keyring, clock }: { readonly keyring: Pick<Keyring, 'isGood'>; readonly clock: Clock },
  principal: Principal,
  end: () => void,
): () => void {
  let cancel = (): void => undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const isGood = await keyring.isGood(principal).catch(isAway);
    if (isOver) return;
    if (isGood) wait();
    else end();
  };
  const wait = (): void => {
    cancel = clock.after(everyMs, () => unawaited(look()));
  };
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}

/** The last answer counts while the database is away, and what a provider said does not count after its hour. */
const isAway = (error: unknown): boolean =>
  error instanceof UnavailableError && !(error instanceof IdentityUnavailableError);
