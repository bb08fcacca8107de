import type { Mutation } from '../mutation.ts';

export const importMutations: readonly Mutation[] = [
  {
    safeguard: 'import: a job of a matrix that fails makes the run fail after the others',
    file: 'libs/import/src/github/githubJobs.ts',
    find: '.output.exists(one, one != true)',
    replace: '.output.exists(one, one == false)',
    shownBy: ['libs/import/src/github/importedRuns.test.ts'],
  },
  {
    safeguard: 'import: a job is skipped if one that it needs was',
    file: 'libs/import/src/github/githubJobs.ts',
    find: 'return [`steps.${id}.status != "skipped"`];',
    replace: 'return [];',
    shownBy: ['libs/import/src/github/importedRuns.test.ts'],
  },
  {
    safeguard: 'import: a key that the importer does not know gets a finding',
    file: 'libs/import/src/importing.ts',
    find: 'if (knownKeys.has(key)) continue;',
    replace: 'if (knownKeys.has(key) || key.length > 1) continue;',
    shownBy: ['libs/import/src/github/githubTable.test.ts'],
  },
];
