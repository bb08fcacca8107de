import type { AskedQuestion } from '@baton/control';
import type { Json, JsonObject } from '@baton/primitives';
import { isCallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';

import { toolAnswer, valueAnswer } from './callAnswers.ts';
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

describe('bytes that contained a secret', () => {
  const bytes = 'aGVs[secret]bG8=';
  const ended = (json: Json): Parameters<typeof toolAnswer>[0] => {
    const state = { status: 'succeeded', attempt: 1, frames: new Map(), value: { json } } as unknown as CallEnd;
    return { kind: 'ended', state, value: json };
  };

  test.each<[string, JsonObject]>([
    ['image', { type: 'image', data: bytes, mimeType: 'image/png' }],
    ['audio', { type: 'audio', data: bytes, mimeType: 'audio/wav' }],
    ['file', { type: 'resource', resource: { uri: 'file:///a', blob: bytes, mimeType: 'image/png' } }],
  ])('come as a text from a tool: %s', (what, block) => {
    const whole = { type: 'text', text: 'hello' };
    const left = { type: 'text', text: `The ${what} contained a secret, so Baton left it out.` };
    const answer = toolAnswer(ended({ content: [whole, block] }), placed);
    expect(answer.content).toEqual([whole, left]);
    expect(isCallToolResult(answer)).toBe(true);
    const failure = { code: 'tool-failed', message: 'no', details: { content: [block] } };
    const state = { status: 'failed', attempt: 1, failure } as unknown as CallEnd;
    expect(toolAnswer({ kind: 'ended', state, value: undefined }, placed).content).toEqual([left]);
  });

  test('come as a text from a prompt and from a resource', () => {
    const messages = [{ role: 'user', content: { type: 'image', data: bytes, mimeType: 'image/png' } }];
    expect(valueAnswer(ended({ messages }), placed)).toMatchObject({
      result: { messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining('left it out') } }] },
    });
    const contents = [{ uri: 'file:///a', blob: bytes, mimeType: 'image/png' }];
    const text = 'The file contained a secret, so Baton left it out.';
    expect(valueAnswer(ended({ contents }), placed)).toMatchObject({
      result: { contents: [{ uri: 'file:///a', mimeType: 'text/plain', text }] },
    });
  });

  test('and others come as they are', () => {
    const content = [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }];
    expect(toolAnswer(ended({ content }), placed).content).toEqual(content);
  });
});

test('an answer that is lost, of a call that a declared check found, says that it happened', () => {
  const frame = { steps: new Map([['tool-1', { status: 'succeeded' }]]) };
  const state = { status: 'succeeded', attempt: 1, frames: new Map([['@check1', frame]]) } as unknown as CallEnd;
  const answer = (structuredContent: JsonObject) =>
    toolAnswer({ kind: 'ended', state, value: { content: [], structuredContent } }, placed);
  expect(answer({ id: 7 })).toMatchObject({
    content: [{ text: expect.stringMatching(/the call happened.*Its output: \{"id":7\}/) as string }],
    structuredContent: { id: 7 },
  });
  const unknown = answer({});
  expect(unknown).toMatchObject({ isError: true });
  expect(unknown).not.toHaveProperty('structuredContent');
});
