import type { Mutation } from '../../mutation.ts';

export const databaseMutations: readonly Mutation[] = [
  {
    safeguard: 'migrations: one process at a time',
    file: 'libs/store/src/database/migrate.ts',
    find: "await client.query('select pg_advisory_lock($1)', [lockKey]);",
    replace: 'void lockKey;',
    shownBy: ['libs/store/src/database/migrate.int.test.ts'],
  },
  {
    safeguard: 'a pinned connection is opened once by all that ask it at the same time',
    file: 'libs/store/src/database/pinnedConnection.ts',
    find: 'this.#connecting ??= ',
    replace: 'this.#connecting = ',
    shownBy: ['libs/store/src/database/pinnedConnection.int.test.ts'],
  },
  {
    safeguard: 'silence: one dead connection closes the idle ones',
    file: 'libs/store/src/database/watchedClient.ts',
    find: 'new Set([silent, ...idle])',
    replace: 'new Set([silent, ...idle.slice(0, 0)])',
    shownBy: ['libs/store/src/database/watchedClient.int.test.ts'],
  },
  {
    safeguard: 'silence: a connection that gave no answer is not used again',
    file: 'libs/store/src/database/watchedClient.ts',
    find: 'if (isSilence(error) && group.has(connection)) await closeSilent(group, connection);',
    replace: 'void closeSilent;',
    shownBy: ['libs/store/src/database/watchedClient.int.test.ts'],
  },
  {
    safeguard: 'silence: a transaction that cannot begin is given up by the pool, which learns from it',
    file: 'libs/store/src/database/prismaClient.ts',
    find: 'const transactionOptions = { maxWait: 3 * answerMs };',
    replace: 'const transactionOptions = { maxWait: answerMs > 0 ? 2_000 : 0 };',
    shownBy: ['libs/store/src/database/watchedClient.int.test.ts'],
  },
  {
    safeguard: 'silence: a request waits five seconds for Postgres',
    file: 'libs/store/src/openStore.ts',
    find: 'answerMs = 5_000',
    replace: 'answerMs = 15_000',
    shownBy: ['libs/store/src/database/watchedClient.int.test.ts'],
  },
  {
    safeguard: 'what Postgres refuses as a whole is no fault of the query',
    file: 'libs/store/src/database/prismaClient.ts',
    find: 'if (cause?.originalCode !== undefined) return isRefusalCode(cause.originalCode);',
    replace: '',
    shownBy: ['libs/store/src/database/refusingPostgres.int.test.ts'],
  },
  {
    safeguard: 'a statement that lost to another is tried again',
    file: 'libs/store/src/database/pinnedConnection.ts',
    find: 'if (!mayTryAgain(error))',
    replace: 'if (error !== undefined)',
    shownBy: ['libs/store/src/journal/writer.int.test.ts'],
  },
  {
    safeguard: 'the journal has connections of its own',
    file: 'libs/store/src/openStore.ts',
    find: 'const writing = new PinnedConnection(journalPool);',
    replace: 'const writing = new PinnedConnection(pool);',
    shownBy: ['libs/store/src/journal/writer.int.test.ts'],
  },
  {
    safeguard: 'a database that is away is told as away',
    file: 'libs/store/src/database/databaseError.ts',
    find: 'return new UnavailableError(`the database cannot be asked now: ${message}`, { cause: error });',
    replace: 'return new Error(message);',
    shownBy: ['libs/store/src/journal/writer.int.test.ts'],
  },
  {
    safeguard: 'a full disk passes, and is no fault of the request',
    file: 'libs/store/src/database/databaseError.ts',
    find: '/^(22|23|42|54)/',
    replace: '/^(22|23|42|53|54)/',
    shownBy: ['tests/faults/partsAway.test.ts'],
  },
  {
    safeguard: 'a migration is applied and recorded at once',
    file: 'libs/store/src/database/migrate.ts',
    find: "  await client.query('begin');\n  try {\n    await client.query(script);\n    await client.query(recordApplied, record);",
    replace:
      "  await client.query(recordApplied.replace('now()', 'null'), record);\n  await client.query('begin');\n  try {\n    await client.query(script);\n    await client.query('update _prisma_migrations set finished_at = now() where id = $1', [record[0]]);",
    shownBy: ['libs/store/src/database/migrate.int.test.ts'],
  },
];
