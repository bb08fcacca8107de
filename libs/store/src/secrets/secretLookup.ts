/** Looks up secrets for the server configuration when they are needed, without caching them. */
import { FailureError } from '@baton/engine';
import { whyNotUsed } from '@baton/language';
import type { Lookups } from '@baton/protocol';

import type { Database } from '../database/database.ts';
import { revealSecrets } from './secrets.ts';
import type { Vault } from './vault.ts';

/** Rejects with `FailureError` where the secret is bound to other servers (or other `models/PROVIDER`). */
export function secretLookup(database: Database, vault: Vault): Lookups['secret'] {
  return async (name, server) => {
    const revealed = (await revealSecrets(database, vault, [name])).get(name);
    const why = revealed && whyNotUsed(name, revealed, { server });
    if (why !== undefined) throw new FailureError('server-unreachable', why, { delivery: 'unsent' });
    return revealed?.value;
  };
}
