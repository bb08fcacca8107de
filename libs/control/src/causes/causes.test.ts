import { causeOf } from '@baton/engine';
import type { FailedRun } from '@baton/store';
import { array, assert, date, integer, ipV4, oneof, property, string, stringMatching, uuid } from 'fast-check';
import { expect, test } from 'vitest';

import { groupByCause } from './groupByCause.ts';

test.each([
  ['sync failed: getaddrinfo ENOTFOUND db-7.example', 'sync failed: getaddrinfo ENOTFOUND …'],
  ['Order 4711 of 2026-11-27T09:00:00Z was refused.', 'Order … of … was refused.'],
  ['There is no invoice "A-17", and none called ‘B’.', 'There is no invoice …, and none called ….'],
  [`It can't find 'x', and doesn't know 'y'.`, `It can't find …, and doesn't know ….`],
  ['duplicate key (id)=(0c2f9a6e-0b0c-4a53-8d07-7a3ef1a7f001) exists', 'duplicate key (id)=(…) exists'],
  ['items 1, 2, 3 and 4 are locked', 'items … and … are locked'],
  ['tool-failed: it broke. By way of: the child run 01a2 failed.', 'tool-failed: it broke.'],
  ['The server answered HTTP 404.', 'The server answered HTTP 404.'],
  ['refused (HTTP 503): order 17', 'refused (HTTP 503): order …'],
  ['status code: 500, after 12 s', 'status code: 500, after … s'],
  ['It ended with exit code 3 after line 7.', 'It ended with exit code 3 after line ….'],
  ['took 30.5s: gave up', 'took …: gave up'],
  ['The bank\n  is closed.', 'The bank is closed.'],
  ['"only a quotation"', '…'],
  [`${'a'.repeat(299)}💥`, 'a'.repeat(299)],
  ['', ''],
])('The cause of the message %j is %j', (message, cause) => {
  expect(causeOf(message)).toBe(cause);
});

const word = stringMatching(/^[a-z]{1,12}$/);
const varying = oneof(
  uuid(),
  integer().map(String),
  date({ noInvalidDate: true }).map((instant) => instant.toISOString()),
  string({ maxLength: 40 }).map((text) => JSON.stringify(text.replaceAll(/["\\]/g, ''))),
  ipV4(),
);

test('Messages that differ in numbers, ids, times, addresses and quoted values have one cause', () => {
  assert(
    property(array(word, { minLength: 1, maxLength: 8 }), varying, varying, (words, one, other) => {
      const message = (value: string): string => words.flatMap((part) => [part, value]).join(' ');
      expect(causeOf(message(one))).toBe(causeOf(message(other)));
      expect(causeOf(causeOf(message(one)))).toBe(causeOf(message(one)));
    }),
  );
});

test('Messages of different words have different causes', () => {
  const words = array(word, { minLength: 1, maxLength: 8 }).map((all) => all.join(' '));
  assert(
    property(words, words, (one, other) => {
      expect(causeOf(one) === causeOf(other)).toBe(one === other);
    }),
  );
});

const failed = (
  id: string,
  message: string,
  more: Partial<FailedRun> & { readonly step?: string } = {},
): FailedRun => ({
  id,
  workflow: 'sync',
  createdAt: 0,
  parentRunId: undefined,
  isRetried: false,
  isUndo: false,
  failure: { code: 'tool-failed', message, step: more.step ?? 'pull' },
  ...more,
});

const idsIn = (runs: readonly FailedRun[]): string[][] =>
  groupByCause(runs).map((group) => group.runs.map(({ id }) => id));

test('Runs that failed at one step for one cause are one group, the largest group first', () => {
  const runs = [failed('a', 'no disk'), failed('b', 'locked for 3 s'), failed('c', 'locked for 4 s')];
  expect(idsIn(runs)).toEqual([['b', 'c'], ['a']]);
});

test('Failures of another workflow, step or code are other groups, and those of other items are not', () => {
  expect(idsIn([failed('a', 'no disk'), failed('b', 'no disk', { workflow: 'copy' })])).toHaveLength(2);
  expect(idsIn([failed('a', 'no disk'), failed('b', 'no disk', { step: 'push' })])).toHaveLength(2);
  expect(idsIn([failed('a', 'no disk'), failed('b', 'no disk', { isUndo: true })])).toHaveLength(2);
  const items = [failed('a', 'no disk', { step: 'all/3/pull' }), failed('b', 'no disk', { step: 'all/14/pull' })];
  expect(idsIn(items)).toHaveLength(1);
});

test('Of runs that failed for one of their child runs only the innermost counts, also through several', () => {
  const told = 'tool-failed: The disk is full. By way of: the child run c failed';
  const runs = [
    failed('a', `${told}, the child run b failed.`),
    failed('b', `${told}.`, { parentRunId: 'a' }),
    failed('c', 'The disk is full.', { parentRunId: 'b' }),
  ];
  expect(idsIn(runs)).toEqual([['c']]);
});

test('The text of a failed child run in the message of its parent hides no failure of the parent', () => {
  const children = ['.', 'disk'].map((message, at) => failed(`child-${at}`, message, { parentRunId: 'a' }));
  expect(idsIn([failed('a', 'no disk space left'), ...children])).toContainEqual(['a']);
});

test('A failure of a distributed item, which its parent tells as its own, counts once', () => {
  const item = failed('b', 'no disk', { parentRunId: 'a' });
  expect(idsIn([failed('a', 'no disk', { step: 'all/3/pull' }), item])).toEqual([['b']]);
});

test('A run counts beside its failed child run where it failed for another cause', () => {
  const runs = [failed('a', 'The budget is spent.'), failed('b', 'The disk is full.', { parentRunId: 'a' })];
  expect(idsIn(runs)).toEqual([['a'], ['b']]);
});
