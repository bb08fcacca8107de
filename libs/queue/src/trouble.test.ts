import { expect, test } from 'vitest';

import { type QueueTrouble, QueueTroubles } from './trouble.ts';

test('many faults of one kind are reported once, and counted', () => {
  const told: [QueueTrouble, string, number][] = [];
  const troubles = new QueueTroubles((what, error, count) => told.push([what, error.message, count]));
  for (let nth = 1; nth <= 1_000; nth += 1) troubles.report('connection', new Error(`refused ${nth}`));
  troubles.report('stalled', 'no error at all');
  expect(told).toEqual([
    ['connection', 'refused 1', 1],
    ['stalled', 'no error at all', 1],
  ]);
  expect(troubles.counts()).toEqual({ connection: 1_000, stalled: 1 });
});

test('every failed answer is reported: it may be a bug that ends the process', () => {
  const told: Error[] = [];
  const troubles = new QueueTroubles((_what, error) => told.push(error));
  const errors = [new Error('one'), new Error('two')];
  for (const error of errors) troubles.report('answer-failed', error);
  expect(told).toEqual(errors);
});
