/** The secrets in Postgres, as a source. */
import type { SecretSource } from '@baton/runner';

import type { Database } from '../database/database.ts';
import { listSecrets, revealSecrets } from './secrets.ts';
import { watchSecrets } from './secretWatch.ts';
import type { Vault } from './vault.ts';

export const storedSecrets = (database: Database, vault: Vault): SecretSource => ({
  reveal: (names) => revealSecrets(database, vault, names),
  list: (page) => listSecrets(database, page),
  watch: (known) => watchSecrets(database, vault, known),
});
