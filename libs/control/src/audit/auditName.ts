import { type Store, getApiKey, getPerson } from '@baton/store';

import { writtenAs } from '../keys/actor.ts';
import { personActor } from '../keys/holderPrincipal.ts';

/**
 * Returns the author of an action as the audit writes it; a key or a person may be given by their id. Rejects with
 * `UnavailableError`.
 */
export async function auditName(store: Store, by: string): Promise<string> {
  const key = await getApiKey(store, by);
  if (key !== undefined) return writtenAs(key);
  const person = await getPerson(store, by);
  return person === undefined ? by : writtenAs(personActor(person));
}
