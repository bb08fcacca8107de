import { expect, test } from 'vitest';

import { type QueueTrouble, QueueTroubles } from './queueTrouble.ts';

test('many faults of one kind are reported once, and counted', () => {
  const told: [QueueTrouble, string, number][] = [];
  const troubles = new QueueTroubles('redis', {
    onTrouble: (what, error, count) => told.push([what, error.message, count]),
  });
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
  const troubles = new QueueTroubles('redis', { onTrouble: (_what, error) => told.push(error) });
  const errors = [new Error('one'), new Error('two')];
  for (const error of errors) troubles.report('answer-failed', error);
  expect(told).toEqual(errors);
});

test('a fault that lasts is reported less and less often, and at once where it comes back', () => {
  let now = 0;
  const told: number[] = [];
  const troubles = new QueueTroubles('redis', { onTrouble: () => told.push(now / 1_000) }, () => now);
  for (; now < 200_000; now += 500) troubles.report('connection', new Error('refused'));
  expect(told).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
  for (now = 600_000; now < 602_000; now += 500) troubles.report('connection', new Error('refused'));
  expect(told.slice(-2)).toEqual([600, 601]);
});

test('an operator is told which server has the fault, and which setting names it', () => {
  const told: string[] = [];
  const tell = {
    onTrouble: (_what: QueueTrouble, _error: Error, _count: number, message: string): number => told.push(message),
  };
  new QueueTroubles('redis', tell).report('connection', new Error('refused'));
  new QueueTroubles('postgres', tell).report('connection', new Error('refused'));
  new QueueTroubles('redis', tell).report('bus', new Error('refused'));
  expect(told).toEqual([
    expect.stringMatching(/^the queue in Redis cannot be used\..* is REDIS_URL right\?$/),
    expect.stringMatching(/^the queue in Postgres cannot be used\..* is DATABASE_URL right\?$/),
    expect.not.stringContaining('REDIS_URL'),
  ]);
});

test('a Redis that is back is told once, and only where its absence was told', () => {
  let now = 0;
  const back: number[] = [];
  const reports = { onTrouble: () => undefined, onBack: (awayMs: number) => back.push(awayMs) };
  const troubles = new QueueTroubles('redis', reports, () => now);
  troubles.noteConnection(true);
  troubles.noteConnection(false);
  troubles.noteConnection(true);
  // A Redis that refuses a command is there.
  troubles.report('bus', new Error('OOM'));
  troubles.noteConnection(true);
  expect(back).toEqual([]);
  troubles.report('connection', new Error('reset'));
  troubles.noteConnection(false);
  now += 12_000;
  troubles.report('connection', new Error('refused'));
  troubles.noteConnection(true);
  troubles.noteConnection(true);
  expect(back).toEqual([12_000]);
});
