import { expect, test } from 'vitest';

import type { AskedQuestion } from '../questions/openQuestions.ts';
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

const asked = { id: 'q', question: { message: 'May I?', form: {} } } as unknown as AskedQuestion;

test.each<[string, Parameters<typeof toolAnswer>[0], string]>([
  ['that a person has to agree to', { kind: 'unanswered', question: asked }, 'has not answered yet. Nothing was done'],
  [
    'during which the server asked',
    { kind: 'unanswered', question: { ...asked, seq: 4 } },
    'goes on at the server, and may have done something',
  ],
  [
    'whose client gave answers that do not fit',
    { kind: 'unanswered', question: asked, why: 'It is no number.' },
    'none of its answers fits the form: It is no number. The question stays open',
  ],
  ['that its client left', { kind: 'left' }, 'The call continues; make the same call again to get its answer'],
])('a call %s is told for what it is', (_, outcome, words) => {
  const { content, isError } = toolAnswer(outcome, placed);
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining(words)]);
});
