import type { Json, JsonObject } from '@baton/primitives';
import { ModelsConfig } from '@baton/protocol';
import { callContext } from '@baton/testing';
import { expect, test } from 'vitest';

import { createModels } from '../createModels.ts';
import { noLookups } from '../testing/noLookups.ts';

const rules = [
  { match: 'Weather', text: 'It rains.' },
  { pattern: '^\\d+ and \\d+$', json: { sum: 7 } },
  { match: 'gone', fail: 'unavailable' },
  { match: 'forbidden', fail: 'refused' },
];

async function ask(text: string, more: { output?: JsonObject; maxTokens?: number } = {}): Promise<JsonObject> {
  const config = ModelsConfig.parse({ providers: { dev: { kind: 'scripted', rules } } });
  const { output, ...rest } = more;
  const { result } = await createModels(config, noLookups).sample(
    {
      messages: [
        { role: 'user', content: { type: 'text', text: 'About the weather of yesterday' } },
        { role: 'user', content: { type: 'text', text } },
      ],
      ...rest,
    },
    {
      ...(output === undefined ? {} : { output }),
      context: callContext(),
    },
  );
  return result;
}

const textOf = (result: JsonObject): Json => (result['content'] as JsonObject)['text'] ?? null;

test('it says what it is', async () => {
  expect(await ask('hello')).toMatchObject({ model: 'scripted', stopReason: 'endTurn', role: 'assistant' });
});

test('the first rule that fits the last message gives the answer', async () => {
  expect(textOf(await ask('How is the weather?'))).toBe('It rains.');
  expect(textOf(await ask('3 and 4'))).toBe('{"sum":7}');
});

test('without a rule it says what it was asked, the same each time', async () => {
  const answer = 'A scripted model was asked, in 2 messages and at last 5 characters: hello';
  expect([textOf(await ask('hello')), textOf(await ask('hello'))]).toEqual([answer, answer]);
});

test('it can be away, and it can refuse', async () => {
  await expect(ask('gone')).rejects.toMatchObject({ failure: { code: 'model-unavailable' } });
  await expect(ask('forbidden')).rejects.toMatchObject({ failure: { code: 'model-failed' } });
});

test('it keeps to a limit of tokens, four characters each', async () => {
  expect(await ask('How is the weather?', { maxTokens: 2 })).toMatchObject({
    content: { text: 'It rains' },
    stopReason: 'maxTokens',
    usage: { outputTokens: 2 },
  });
});

test('a typed answer is one that fits', async () => {
  const output = {
    type: 'object',
    properties: { worst: { enum: ['none', 'low'] }, count: { type: 'integer', minimum: 3 } },
    required: ['worst', 'count'],
  };
  expect(await ask('rank them', { output })).toMatchObject({ output: { worst: 'none', count: 3 } });
  await expect(ask('How is the weather?', { output })).resolves.toMatchObject({ output: { worst: 'none' } });
});
