import type { JsonSchema } from '@baton/primitives';
import { expect, test } from 'vitest';

import type { ModelAnswer, ModelQuestion } from './ask.ts';
import { askTyped } from './typed.ts';

const schema = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] } satisfies JsonSchema;

const question: ModelQuestion = {
  model: 'none',
  instructions: undefined,
  messages: [{ role: 'user', content: 'How many?' }],
  maxTokens: 10,
  temperature: undefined,
  stopSequences: [],
  schema: undefined,
  providerOptions: {},
};

/** Answers with each text in turn, and remembers the questions. */
function answering(...texts: (string | Partial<ModelAnswer>)[]): {
  asked: ModelQuestion[];
  answer: (question: ModelQuestion) => Promise<ModelAnswer>;
} {
  const asked: ModelQuestion[] = [];
  return {
    asked,
    answer: async (one) => {
      const said = texts[asked.push(one) - 1] ?? '';
      const plain = { text: '', stopReason: 'endTurn', model: 'm', usage: { outputTokens: 1 } };
      return typeof said === 'string' ? { ...plain, text: said } : { ...plain, ...said };
    },
  };
}

test.each([
  ['as it should be', '{"sum": 7}'],
  ['with space around it', '\n {"sum": 7}\n'],
  ['in a code fence', 'Here it is:\n```json\n{"sum": 7}\n```\nAnything else?'],
  ['in an unnamed code fence', '```\n{"sum": 7}\n```'],
  ['in a sentence', 'The answer is {"sum": 7}, as you can see.'],
  ['after a code fence of something else', '```\nthree and four\n```\nthat is {"sum": 7}'],
])('an answer is found %s', async (_where, text) => {
  const { answer, asked } = answering(text);
  expect(await askTyped(question, schema, answer)).toMatchObject({ output: { sum: 7 }, text });
  expect(asked).toHaveLength(1);
});

test('any JSON value may be declared', async () => {
  const list = { type: 'array', items: { type: 'string' } } satisfies JsonSchema;
  expect(await askTyped(question, list, answering('["a"]').answer)).toMatchObject({ output: ['a'] });
  expect(await askTyped(question, { type: 'integer' }, answering('7').answer)).toMatchObject({ output: 7 });
});

test('the repair request contains the first answer and its errors', async () => {
  const { answer, asked } = answering('{"sum": "seven"}', '{"sum": 7}');
  expect(await askTyped(question, schema, answer)).toMatchObject({ output: { sum: 7 }, usage: { outputTokens: 2 } });
  expect(asked[1]?.messages).toMatchObject([
    { role: 'user', content: 'How many?' },
    { role: 'assistant', content: '{"sum": "seven"}' },
    { role: 'user', content: expect.stringMatching(/^That does not fit the JSON Schema:\n- \/sum: /) as string },
  ]);
});

test('no answer at all is repaired too', async () => {
  const { answer, asked } = answering(' ', '{"sum": 7}');
  expect(await askTyped(question, schema, answer)).toMatchObject({ output: { sum: 7 } });
  expect(asked[1]?.messages[1]).toEqual({ role: 'assistant', content: '(nothing)' });
});

test('an answer that was cut off is not requested again', async () => {
  const { answer, asked } = answering({ text: '{"sum"', stopReason: 'maxTokens' });
  await expect(askTyped(question, schema, answer)).rejects.toMatchObject({
    failure: { code: 'output-invalid', details: { usage: { outputTokens: 1 } } },
    message: expect.stringContaining('cut off at 10 tokens') as string,
  });
  expect(asked).toHaveLength(1);
});

test('a hostile answer costs no more than reading it', async () => {
  const { answer } = answering('```\n'.repeat(200_000), '['.repeat(200_000));
  await expect(askTyped(question, schema, answer)).rejects.toMatchObject({ failure: { code: 'output-invalid' } });
});

test('an invalid schema is reported before a model is asked', async () => {
  const { answer, asked } = answering('{}');
  await expect(askTyped(question, { type: 'text' }, answer)).rejects.toMatchObject({
    failure: { code: 'invalid-arguments' },
    delivery: 'unsent',
  });
  expect(asked).toHaveLength(0);
});
