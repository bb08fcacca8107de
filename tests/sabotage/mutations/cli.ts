import type { Mutation } from '../mutation.ts';

export const cliMutations: readonly Mutation[] = [
  {
    safeguard: 'the data folder of another account is not used',
    file: 'apps/cli/src/client/dataFolder.ts',
    find: 'us === undefined || owner === us ? folder',
    replace: 'us === undefined || owner !== -1 ? folder',
    shownBy: ['apps/cli/src/client/dataFolder.int.test.ts'],
  },
  {
    safeguard: 'no data folder is looked for above the home folder',
    file: 'apps/cli/src/client/dataFolder.ts',
    find: 'at !== home && at',
    replace: 'at',
    shownBy: ['apps/cli/src/client/dataFolder.int.test.ts'],
  },
  {
    safeguard: 'the admin key of a data folder is sent to this machine only',
    file: 'apps/cli/src/client/address.ts',
    find: 'if (key !== undefined || !isLoopback(url)) return key;',
    replace: 'if (key !== undefined) return key;',
    shownBy: ['apps/cli/src/client/address.int.test.ts'],
  },
  {
    safeguard: 'a command sends nothing to a port where another account listens',
    file: 'apps/cli/src/client/runningAddress.ts',
    find: '![0, process.getuid?.(), owner].includes(account)',
    replace: 'account < 0',
    shownBy: ['apps/cli/src/client/runningAddress.int.test.ts'],
  },
  {
    safeguard: 'a command sends nothing where no Baton runs',
    file: 'apps/cli/src/client/address.ts',
    find: "here.port !== '0' && (await isListening(here, folder))",
    replace: "here.port !== '0'",
    shownBy: ['apps/cli/src/client/address.int.test.ts'],
  },
  {
    safeguard: 'a retry asks before a doubtful write is made again',
    file: 'apps/cli/src/run/runAgain.ts',
    find: "const asks = kind === 'retry' || context",
    replace: 'const asks = context',
    shownBy: ['apps/cli/src/rerunOptions.int.test.ts'],
  },
  {
    safeguard: 'a rerun asks a person before writes are made again',
    file: 'apps/cli/src/run/runAgain.ts',
    find: "kind === 'retry' || context.isInteractive",
    replace: "kind === 'retry'",
    shownBy: ['apps/cli/src/rerunOptions.int.test.ts'],
  },
  {
    safeguard: 'two files with one workflow are told',
    file: 'apps/cli/src/check/twinsOf.ts',
    find: 'else if (placeOf(first.file) !== placeOf(file)) {',
    replace: "else if (placeOf(first.file) === '') {",
    shownBy: ['apps/cli/src/check/twinsOf.test.ts'],
  },
];
