import { expect, test } from 'vitest';

import { fenceLines } from './fenceLines.ts';

const id = '01a20331-f658-7bff-8617-a5eb4685df4a';
const message =
  'A backup of 2026-11-27T02:00:00.000Z was restored. What was recorded after it is lost, although its calls were made.';
const runs = [
  { id, workflow: 'pay', status: 'waiting' as const, calls: ['bank/transfer', 'mail/send_a_message', 'crm/note'] },
  { id, workflow: 'nightly', status: 'running' as const, calls: [] },
];
const fence = { stands: true, cause: 'restored' as const, message, activeRuns: 3, runs } as Parameters<
  typeof fenceLines
>[0];

test('At a terminal of 80 columns no line of the fence is broken in the middle of a word.', () => {
  expect(fenceLines(fence, 80)).toEqual([
    'A backup of 2026-11-27T02:00:00.000Z was restored. What was recorded after it',
    'is lost, although its calls were made.',
    '3 runs were active:',
    `  ${id}  pay  waiting`,
    '    may have made bank/transfer, mail/send_a_message, crm/note',
    `  ${id}  nightly  running  no write`,
    '  and 1 more',
  ]);
});

test('A run of the fence whose name does not fit beside its id has it on a line of its own.', () => {
  const long = { ...fence, runs: [{ ...runs[0], workflow: 'quarterly-settlement-of-open-invoices' }] } as typeof fence;
  expect(fenceLines(long, 80).slice(3, 6)).toEqual([
    `  ${id}  waiting`,
    '    quarterly-settlement-of-open-invoices',
    '    may have made bank/transfer, mail/send_a_message, crm/note',
  ]);
});

test('Without a terminal each run of the fence is one line.', () => {
  expect(fenceLines(fence).slice(2, 4)).toEqual([
    `  ${id}  pay  waiting  may have made bank/transfer, mail/send_a_message, crm/note`,
    `  ${id}  nightly  running  no write`,
  ]);
});
