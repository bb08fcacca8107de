import type { Mutation } from '../../mutation.ts';

export const retentionMutations: readonly Mutation[] = [
  {
    safeguard: 'retention leaves unsealed runs',
    file: 'libs/store/src/retention/removeRuns.ts',
    find: '  isSettled && endedAt !== null',
    replace: '  isSettled !== undefined && endedAt !== null',
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
  {
    safeguard: 'retention leaves a tree while one of it is not free',
    file: 'libs/store/src/retention/removeRuns.ts',
    find: 'tree.every((run) => mayBeRemoved',
    replace: 'tree.some((run) => isFree',
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
  {
    safeguard: 'retention leaves values that others use',
    file: 'libs/store/src/retention/removeValues.ts',
    find: 'where other.sha256 = blob.sha256',
    replace: 'where false and other.sha256 = blob.sha256',
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
  {
    safeguard: 'retention is on record in the audit',
    file: 'libs/store/src/retention/removeRuns.ts',
    find: "  await noteAction(transaction, database, { by: 'retention', action: 'runs.removed', target, detail: { ...detail } });",
    replace: '  void [target, detail, keys, noteAction];',
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
  {
    safeguard: 'journals are removed by a role of its own',
    file: 'libs/store/src/retention/guardRemoval.ts',
    find: 'alter function remove_journals(uuid[]) owner to ${role};',
    replace: '',
    shownBy: ['libs/store/src/retention/guardRemoval.int.test.ts'],
  },
  {
    safeguard: 'retention: what is removed and its record are one transaction',
    file: 'libs/store/src/retention/removeRuns.ts',
    find: 'const [removed] = await transaction.$queryRaw<',
    replace: 'const [removed] = await (database as Database).prisma.$queryRaw<',
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
  {
    safeguard: 'a large value that a run begins to use is not removed',
    file: 'prisma/migrations/20261126175138_values_in_use/migration.sql',
    find: 'ALTER TABLE "blob_use" ADD CONSTRAINT "blob_use_sha256_fkey" FOREIGN KEY ("sha256") REFERENCES "blob"("sha256")\n  ON DELETE NO ACTION ON UPDATE NO ACTION NOT VALID;',
    replace: 'SELECT 1;',
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
  {
    safeguard: 'advisory locks: no two have one number',
    file: 'libs/store/src/database/advisoryLocks.ts',
    find: '4_400_007',
    replace: '4_400_005',
    shownBy: ['libs/store/src/database/advisoryLocks.test.ts'],
  },
  {
    safeguard: 'no append waits while retention removes large values',
    file: 'libs/store/src/retention/removeValues.ts',
    find: 'await pool.query<{ place: string | null }>(removeSql, values);',
    replace: `await inTransaction(pool, async (client) => {
      await client.query('lock table blob in share row exclusive mode');
      return client.query<{ place: string | null }>(removeSql, values);
    });`,
    shownBy: ['libs/store/src/retention/retention.int.test.ts'],
  },
];
