/** Those of libs/store, a file for each of its folders. */
import type { Mutation } from '../mutation.ts';
import { auditMutations } from './store/audit.ts';
import { databaseMutations } from './store/database.ts';
import { journalMutations } from './store/journal.ts';
import { retentionMutations } from './store/retention.ts';
import { runsMutations } from './store/runs.ts';
import { secretsMutations } from './store/secrets.ts';
import { workflowsMutations } from './store/workflows.ts';

export const storeMutations: readonly Mutation[] = [
  ...auditMutations,
  ...databaseMutations,
  ...journalMutations,
  ...retentionMutations,
  ...runsMutations,
  ...secretsMutations,
  ...workflowsMutations,
  {
    safeguard: 'a connection that Postgres ends as it accepts it does not end the process',
    file: 'libs/store/src/database/guardedClient.ts',
    find: "this.on('error', () => undefined);",
    replace: '',
    shownBy: ['libs/store/src/database/guardedClient.int.test.ts'],
  },
];
