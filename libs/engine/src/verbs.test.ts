/** What each verb that calls leaves behind, and how a step ends a run. Cites the requirements of the language. */
import type { Json, JsonObject } from '@baton/primitives';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import { rowOf } from './state/row.ts';

const outputsOf = (steps: string, outputs: string, answer: (made: SimulatedCall) => CallResult): Json | undefined => {
  const { run } = play(planOf(`workflow: w\nsteps:\n${steps}\noutputs: { v: "\${{ ${outputs} }}" }\n`), { answer });
  const given = rowOf(run).outputs;
  return given !== undefined && 'json' in given ? given.json : undefined;
};

const block = (text: string): JsonObject => ({ type: 'text', text });

describe('[L-060] a tool leaves', () => {
  const leaving = (result: JsonObject): Json | undefined =>
    outputsOf('  - id: a\n    tool: s/t', '[steps.a.output, steps.a.text, steps.a.content]', () => ({ result }));

  test.each<[string, JsonObject, Json, string]>([
    [
      'what the server gave as structured content',
      { content: [block('21')], structuredContent: { t: 21 } },
      { t: 21 },
      '21',
    ],
    ['the value of one text that is a JSON object', { content: [block('{"t": 21}')] }, { t: 21 }, '{"t": 21}'],
    ['the value of one text that is a JSON array', { content: [block('[1, 2]')] }, [1, 2], '[1, 2]'],
    ['a text that is a number as the text', { content: [block('21')] }, '21', '21'],
    ['several texts joined', { content: [block('{"a": 1}'), block('b')] }, '{"a": 1}\nb', '{"a": 1}\nb'],
    ['nothing but its blocks, where there is no text', { content: [{ type: 'image', data: 'x' }] }, '', ''],
  ])('%s', (_, result, output, text) => {
    expect(leaving(result)).toEqual({ v: [output, text, result['content']] });
  });
});

test('[L-061] a prompt leaves its messages, their text and its description', () => {
  const messages = [{ role: 'user', content: block('Be kind.') }];
  const outputs = outputsOf(
    '  - id: a\n    prompt: s/p',
    '[steps.a.messages, steps.a.text, steps.a.description]',
    ({ target }) => ({
      result: { messages, description: target },
    }),
  );
  expect(outputs).toEqual({ v: [messages, 'Be kind.', 's/p'] });
});

test.each([
  ['application/json', { a: 1 }],
  ['text/plain', '{"a": 1}'],
])('[L-062] a resource of type %s is read with its template and what fills it', (mimeType, output) => {
  let asked: SimulatedCall | undefined;
  const outputs = outputsOf(
    '  - id: a\n    resource: s\n    uri: x://{n}\n    with: { n: "${{ 1 + 1 }}" }',
    '[steps.a.output, steps.a.text, steps.a.contents[0].uri]',
    (made) => {
      asked = made;
      return { result: { contents: [{ uri: 'x://2', mimeType, text: '{"a": 1}' }] } };
    },
  );
  expect(asked).toMatchObject({ verb: 'resource', arguments: { n: 2 } });
  expect(outputs).toEqual({ v: [output, '{"a": 1}', 'x://2'] });
});

test('[L-063] a sample leaves its typed answer, and without a type the text', () => {
  const answer = (): CallResult => ({
    result: { content: block('high'), model: 'm', stopReason: 'endTurn', output: { worst: 'high' } },
  });
  const typed = '  - id: a\n    sample:\n      append: Rank\n      output: { worst: { type: string } }';
  expect(outputsOf(typed, '[steps.a.output.worst, steps.a.text, steps.a.model]', answer)).toEqual({
    v: ['high', 'high', 'm'],
  });
  const plain = '  - id: a\n    sample: { append: Rank }';
  expect(outputsOf(plain, 'steps.a.output', () => ({ result: { content: block('low') } }))).toEqual({ v: 'low' });
});

test('[L-076] fail ends the run with its message and its code, undoing what was done', () => {
  const { run, calls } = play(
    planOf(`
workflow: w
steps:
  - { tool: s/make, undo: { tool: s/unmake } }
  - { fail: "No \${{ 1 + 1 }} of them", code: too-few }
  - { tool: s/never }
`),
  );
  expect(run).toMatchObject({ status: 'failed', failure: { code: 'too-few', message: 'No 2 of them' } });
  expect(calls.map(({ target }) => target)).toEqual(['s/make', 's/unmake']);
});
