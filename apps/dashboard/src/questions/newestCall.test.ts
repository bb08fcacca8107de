import { expect, test } from 'vitest';

import { newestCall } from './newestCall.ts';

test('the last call is the newest that succeeded, in whichever order the calls of a run are listed', () => {
  const call = (run: string, step: string, minute: number, outcome: 'succeeded' | 'failed' = 'succeeded') => ({
    run,
    step,
    at: `2026-11-23T08:${minute}:00Z`,
    outcome,
  });
  const calls = [
    call('new', 'first', 20),
    call('new', 'second', 30),
    call('new', 'third', 40, 'failed'),
    call('new', 'asked', 50),
    call('old', 'first', 10),
  ];
  expect(newestCall(calls, { run: 'new', step: 'asked' })).toMatchObject({ run: 'new', step: 'second' });
  expect(newestCall([], { run: 'new', step: 'asked' })).toBeUndefined();
});
