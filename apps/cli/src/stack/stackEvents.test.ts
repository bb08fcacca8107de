import pc from 'picocolors';
import { expect, test } from 'vitest';

import { type StackEvent, newsLines } from './stackEvents.ts';

const plain = pc.createColors(false);
const told = (news: StackEvent): string => newsLines(news, plain).join('\n');
const died = (how: string, why?: string): string => told({ kind: 'died', how, why, afterMs: 1_600 });

test.each([
  ['SIGKILL', /ended \(SIGKILL\).*\n.*memory ran out, `dmesg` shows it/],
  ['exit code 0', /ended \(exit code 0\).*\n.*stopped it, not Baton/],
  ['SIGSEGV', /ended \(SIGSEGV\).*\n.*Its log may/],
  ['exit code 70', /ended \(exit code 70\).*\n.*LOG_LEVEL=info/],
])('A server that ended with %s is started again, and the news says where to look', (how, words) => {
  expect(died(how)).toMatch(/^! The server ended \(.*\) and restarts in 1\.6 s\./);
  expect(died(how)).toMatch(words);
});

test('the reason that the process gave replaces guesses, on one line', () => {
  const lines = died('exit code 70', 'port 4400 is taken:\nset BATON_PORT').split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^ {2}It said: port 4400 is taken:.*set BATON_PORT$/);
});

test('a restarted process is reported with its address', () => {
  const address = 'http://127.0.0.1:1';
  expect(told({ kind: 'back', address })).toBe(`✓ The server is running again, at ${address}`);
});

test('a process that cannot be restarted is reported with how it ended, and each complaint once', () => {
  const said = [
    '2026-11-23 01:36:39.033 UTC [29107] LOG:  database system is ready to accept connections',
    '2026-11-23 01:37:01.000 UTC [29278] FATAL:  terminating connection due to unexpected postmaster exit',
    '2026-11-23 01:37:01.003 UTC [29175] FATAL:  terminating connection due to unexpected postmaster exit',
  ].join('\n');
  expect(told({ kind: 'down', what: 'Postgres', how: 'SIGKILL', said }).split('\n')).toEqual([
    '✗ Postgres ended unexpectedly (SIGKILL), so Baton stops. Start it again: unfinished runs continue.',
    '  FATAL: terminating connection due to unexpected postmaster exit',
  ]);
});
