import pc from 'picocolors';
import { expect, test } from 'vitest';

import type { StackEvent } from './stackEvents.ts';
import { newsLines } from './stackEvents.ts';

const plain = pc.createColors(false);
const told = (news: StackEvent): string => newsLines(news, plain).join('\n');
const died = (how: string, why?: string): string => told({ kind: 'died', name: 'worker', how, why, afterMs: 1_600 });

test.each([
  ['SIGKILL', /ended \(SIGKILL\).*\n.*memory ran out, `dmesg` shows it/],
  ['exit code 0', /ended \(exit code 0\).*\n.*stopped it, not Baton/],
  ['SIGSEGV', /ended \(SIGSEGV\).*\n.*log above/],
  ['exit code 70', /ended \(exit code 70\).*\n.*LOG_LEVEL=info/],
])('a worker that ended with %s is started again, and it says where to look', (how, words) => {
  expect(died(how)).toMatch(/^! The worker ended \(.*\) and restarts in 1\.6 s\./);
  expect(died(how)).toMatch(words);
});

test('what it said itself goes before guesses, on one line', () => {
  const lines = died('exit code 70', 'port 4400 is taken:\nset BATON_PORT').split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^ {2}It said: port 4400 is taken:.*set BATON_PORT$/);
});

test('who is back is told with its address', () => {
  const address = 'http://127.0.0.1:1';
  expect(told({ kind: 'back', name: 'orchestrator', address })).toBe(
    `✓ The orchestrator is running again, at ${address}`,
  );
});

test('what cannot be started again is told with what it said last, line by line', () => {
  expect(told({ kind: 'down', what: 'Postgres', said: 'one\ntwo' })).toMatch(
    /^✗ Postgres ended unexpectedly.*unfinished runs continue\.\n {2}Its last output:\n {2}one\n {2}two$/,
  );
});
