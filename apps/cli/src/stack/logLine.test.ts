import pc from 'picocolors';
import { expect, test } from 'vitest';

import { logLine } from './logLine.ts';

const paint = pc.createColors(false);
const entry = { level: 'warn', time: '2026-11-27T00:43:03.000Z', pid: 7, hostname: 'vm', name: 'worker' };

test('At a terminal a log line says its time, level, process, message and fields, and not the JSON.', () => {
  const line = JSON.stringify({ ...entry, msg: 'the queue is away', err: { message: 'ECONNREFUSED' }, port: 6379 });
  expect(logLine(line, paint)).toMatch(/^\d\d:\d\d:\d\d warn worker: the queue is away: ECONNREFUSED port=6379$/);
});

test('The log of a fatal error has its stack.', () => {
  const err = { message: 'no', stack: 'Error: no\n    at main.ts:1:1' };
  const line = JSON.stringify({ ...entry, level: 'fatal', msg: 'a bug', err });
  expect(logLine(line, paint)).toMatch(/fatal worker: a bug: no\nError: no\n {4}at main\.ts:1:1$/);
});

test.each(['(node:1) Warning: x', '{', '{"a":1}', '[1]', ''])(
  'A line that is no log entry stays as it is: %j',
  (line) => {
    expect(logLine(line, paint)).toBe(line);
  },
);

test('A log line draws no characters that a terminal obeys.', () => {
  const line = JSON.stringify({ ...entry, msg: 'a\u001b[31mb', tool: 'x\ny' });
  const shown = logLine(line, paint);
  expect(['\n', '\u001b'].filter((character) => shown.includes(character))).toEqual([]);
});
