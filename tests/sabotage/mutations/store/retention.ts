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
    file: 'libs/store/src/retention/removeRuns.ts',
    find: '      and not exists (select from blob_use where blob_use.sha256 = blob.sha256)`;',
    replace: '`;',
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
];
