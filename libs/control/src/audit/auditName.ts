import { type Store, getApiKey } from '@baton/store';

import { writtenAs } from '../keys/keyring.ts';

/**
 * Returns the author of an action as the audit writes it; a key may be given by its id. Rejects with
 * `UnavailableError`.
 */
export async function auditName(store: Store, by: string): Promise<string> {
  const key = await getApiKey(store, by);
  return key === undefined ? by : writtenAs(key);
}
