import { BoundSecrets, KnownSecrets } from '@baton/runner';
import {
  type Database,
  type Store,
  claimMarks,
  deployedSecretUses,
  openStore,
  storedSecrets,
  Vault,
} from '@baton/store';

import { freshDatabase } from './freshDatabase.ts';

/** The installation's key in tests. */
export const testSecretKey = Buffer.alloc(32, 7);

export interface FreshStore extends Store {
  readonly url: string;
}

/** Statements on a machine that others load: what a store does about one that is late has tests of its own. */
const answerMs = 60_000;

/** A store on a database of its own, in which marks have begun. It is dropped when the store is closed. */
export async function freshStore(): Promise<FreshStore> {
  const database = await freshDatabase();
  const store = openStore({ url: database.url, secretKey: testSecretKey, answerMs });
  await claimMarks(store);
  const close = async (): Promise<void> => {
    await store.close();
    await database.drop();
  };
  return { ...store, url: database.url, close };
}

/** The stored secrets, for parts of an orchestrator. */
export const testSecrets = (database: Database, vault = new Vault(testSecretKey)): BoundSecrets =>
  new BoundSecrets(storedSecrets(database, vault), {
    known: new KnownSecrets(),
    deployed: deployedSecretUses(database),
  });

/** SQL before the `begin` of a session of a store: Postgres does not end its transaction, however long a test takes. */
export const neverEnded = 'set idle_in_transaction_session_timeout = 0';
