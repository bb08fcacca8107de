import { type Store, getApiKey, getWrittenPerson } from '@baton/store';

import { writtenAs } from '../keys/actor.ts';
import { personActor } from '../keys/holderPrincipal.ts';

/**
 * Returns the author of an action as the audit writes it; a key or a person may be given by their id, and a person of
 * a provider as entries name them. Rejects with
 * `UnavailableError`.
 */
export async function auditName(store: Store, by: string): Promise<string> {
  const key = await getApiKey(store, by);
  if (key !== undefined) return writtenAs(key);
  const person = await getWrittenPerson(store, by);
  return person === undefined ? by : writtenAs(personActor(person));
}
