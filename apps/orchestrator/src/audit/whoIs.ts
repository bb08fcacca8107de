import type { Store } from '@baton/store';
import { getApiKey } from '@baton/store';

import { writtenAs } from '../keys/keyring.ts';

/** As who did something is written: a key may be named by its id alone. Rejects with `UnavailableError`. */
export async function whoIs(store: Store, by: string): Promise<string> {
  const key = await getApiKey(store, by);
  return key === undefined ? by : writtenAs(key);
}
