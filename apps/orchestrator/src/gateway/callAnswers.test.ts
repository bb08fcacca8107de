import { expect, test } from 'vitest';

import { toolAnswer } from './callAnswers.ts';
import type { CallEnd } from './gatewayCalls.ts';

const placed = { runId: 'run', path: 'write-1', isRepeated: false };

function told(failure: Extract<CallEnd, { status: 'failed' }>['failure']): string {
  const state = { status: 'failed', attempt: 1, failure } as Extract<CallEnd, { status: 'failed' }>;
  const { content, isError } = toolAnswer({ kind: 'ended', state, value: undefined }, placed);
  expect(isError).toBe(true);
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

test.each([
  [{ retryAfterMs: 2_100 }, 'Wait 3 seconds'],
  [{ retryAfterMs: 0 }, 'Wait 1 second'],
  [undefined, 'Wait a minute'],
])('a server that asks for fewer calls is told in words that a model can follow: %j', (details, wait) => {
  const failure = { code: 'server-overloaded', message: 'HTTP 429', ...(details && { details }) } as const;
  expect(told(failure)).toBe(
    `Too many calls were made to this server: it did nothing. ${wait}, then make the same call again. (HTTP 429)`,
  );
});

test('a server that cannot be reached did nothing; any other failure bears its code', () => {
  expect(told({ code: 'server-unreachable', message: 'It is away.' })).toContain('may be made again later');
  expect(told({ code: 'timeout', message: 'It took too long.' })).toBe('timeout: It took too long.');
});

test.each([
  ['unanswered', 'has not answered yet. Nothing was done'],
  ['left', 'It goes on; the same call again finds its answer'],
] as const)('a call that is %s is told for what it is', (kind, words) => {
  const { content, isError } = toolAnswer({ kind }, placed);
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining(words)]);
});
