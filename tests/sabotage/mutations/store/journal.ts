import type { Mutation } from '../../mutation.ts';

export const journalMutations: readonly Mutation[] = [
  {
    safeguard: 'a journal that is opened is held to its hashes',
    file: 'libs/store/src/journal/readEvents.ts',
    find: 'linkHash(last, link) !== hash) brokenAt',
    replace: 'false) brokenAt',
    shownBy: ['libs/store/src/audit/forgedJournal.int.test.ts'],
  },
  {
    safeguard: 'a journal that is opened is held to its marks',
    file: 'libs/store/src/journal/readEvents.ts',
    find: 'mark !== keys.mark(hash)',
    replace: 'false',
    shownBy: ['libs/store/src/audit/forgedJournal.int.test.ts'],
  },
  {
    safeguard: 'hash chain covers the run id',
    file: 'libs/store/src/journal/chain.ts',
    find: '${before}\\n${runId}\\n${seq}',
    replace: '${before}\\n\\n${seq}',
    shownBy: ['libs/store/src/journal/chain.test.ts'],
  },
  {
    safeguard: 'hash chain covers the instant',
    file: 'libs/store/src/journal/chain.ts',
    find: '${seq}\\n${at}\\n',
    replace: '${seq}\\n\\n',
    shownBy: ['libs/store/src/journal/chain.test.ts'],
  },
  {
    safeguard: 'hash chain covers the hash before',
    file: 'libs/store/src/journal/chain.ts',
    find: '`${before}\\n${runId}',
    replace: '`\\n${runId}',
    shownBy: ['libs/store/src/journal/chain.test.ts'],
  },
  {
    safeguard: 'optimistic append: a lost race is a conflict',
    file: 'libs/store/src/journal/appendStatement.ts',
    find: 'const append = insertEvents(1);',
    replace: "const append = insertEvents(1, 'on conflict do nothing');",
    shownBy: ['libs/store/src/journal/journal.int.test.ts'],
  },
  {
    safeguard: 'the writer: small appends go before large ones',
    file: 'libs/store/src/journal/takeBatch.ts',
    find: 'const smallOnes = wereSmallFirst || !waiting.some(isSmall) ? [] : take(waiting, isSmall);',
    replace: 'const smallOnes: never[] = [];',
    shownBy: ['libs/store/src/journal/takeBatch.test.ts'],
  },
  {
    safeguard: 'the writer: large appends are not overtaken for ever',
    file: 'libs/store/src/journal/takeBatch.ts',
    find: 'wereSmallFirst = smallOnes.length > 0 && !waiting.every(isSmall);',
    replace: 'havePassed = false;',
    shownBy: ['libs/store/src/journal/takeBatch.test.ts'],
  },
  {
    safeguard: 'a large value that has not its digest is not handed out',
    file: 'libs/store/src/journal/blobs.ts',
    find: "if (hash('sha256', blob.text, 'hex') !== sha256.toLowerCase())",
    replace: "if (hash('sha256', blob.text, 'hex') === '')",
    shownBy: ['libs/store/src/audit/tamperings.int.test.ts'],
  },
  {
    safeguard: 'an append whose answer is lost is not taken for written',
    file: 'libs/store/src/journal/writer.ts',
    find: 'else fail(batch, asUnavailable(error));',
    replace: 'else for (const pending of batch) pending.resolve();',
    shownBy: ['libs/store/src/journal/journal.int.test.ts'],
  },
];
