import { expect, test } from 'vitest';

import { strangeNames } from './strangeNames.ts';

const told = (names: readonly string[], used: readonly string[] = []): string[] =>
  strangeNames(Object.fromEntries(names.map((name) => [name, 'x'])), new Set(used));

test('a name with our prefix that no setting has is told, with the nearest setting', () => {
  expect(
    told(['BATON_PROT', 'BATON_SOMETHING', 'BATON_PORT', 'BATON_MARK', 'BATON_REGISTRY', 'BATON_TRUST_FOLDER', 'PATH']),
  ).toEqual([
    'BATON_PROT (environment) is no setting of Baton. Did you mean BATON_PORT?',
    'BATON_SOMETHING (environment) is no setting of Baton.',
  ]);
});

test.each([
  ['REDIS_URI', 'REDIS_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['BATTON_PORT', 'BATON_PORT'],
])('%s without our prefix is told as a near miss of %s', (name, setting) => {
  expect(told([name])).toEqual([`${name} (environment) is no setting of Baton. Did you mean ${setting}?`]);
  // Then it is the name of another program.
  expect(told([name, setting])).toEqual([]);
});

test('names of other programs are not told', () => {
  expect(told(['DATABASE_URL_TEST', 'DATABASE', 'REDIS', 'REDIS_HOST', 'REDIS_PORT', 'LOG', 'LOG_FILE'])).toEqual([]);
});

test('names that the servers file refers to are not told', () => {
  const names = ['BATON_SECRET_GITHUB', 'REDIS_URI'];
  expect(told(names, names)).toEqual([]);
  expect(told(['BATON_SECRET_GITHUB'])).toHaveLength(1);
});
