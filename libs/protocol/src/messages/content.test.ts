import { describe, expect, test } from 'vitest';

import { checkResult, isDeeperThan, textOf } from './content.ts';

describe('a tool’s result', () => {
  test('is handed on as it came', () => {
    const result = { content: [{ type: 'text', text: 'x' }], structuredContent: { n: 1 }, _meta: {}, unknown: true };
    expect(checkResult('tools/call', result)).toEqual({ result });
  });

  test('without content is one without blocks, as old servers send it', () => {
    expect(checkResult('tools/call', { structuredContent: { n: 1 } })).toEqual({
      result: { structuredContent: { n: 1 }, content: [] },
    });
  });

  test('with null in place of structured content has none', () => {
    expect(checkResult('tools/call', { content: [], structuredContent: null })).toEqual({ result: { content: [] } });
  });

  test.each([
    [true, true],
    ['true', true],
    ['True', true],
    [1, true],
    ['1', true],
    [{}, true],
    [false, false],
    ['false', false],
    [0, false],
    ['', false],
    [null, false],
  ])('that says isError: %j is an error: %s', (isError, expected) => {
    expect(checkResult('tools/call', { content: [], isError })).toEqual({ result: { content: [], isError: expected } });
  });

  test('of 2024-10-07 is its text, and its object', () => {
    expect(checkResult('tools/call', { toolResult: 'old style' })).toEqual({
      result: { content: [{ type: 'text', text: 'old style' }] },
    });
    expect(checkResult('tools/call', { toolResult: { n: 1 } })).toEqual({
      result: { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
    });
  });

  test('with nothing but its envelope is an empty one', () => {
    expect(checkResult('tools/call', { _meta: { a: 1 } })).toEqual({ result: { _meta: { a: 1 }, content: [] } });
  });

  test('says nothing of the envelope that it came in', () => {
    expect(checkResult('tools/call', { content: [], resultType: 'complete' })).toEqual({ result: { content: [] } });
  });

  test('may name a resource without embedding it', () => {
    const flat = { type: 'resource', uri: 'file:///a', mimeType: 'text/plain' };
    expect(checkResult('tools/call', { content: [flat] })).toEqual({
      result: { content: [{ ...flat, type: 'resource_link', name: 'file:///a' }] },
    });
  });

  test('may hold blocks of a kind that is not known yet', () => {
    const result = { content: [{ type: 'hologram', data: 1 }] };
    expect(checkResult('tools/call', result)).toEqual({ result });
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['text', 'x'],
    ['content that is no list', { content: 'x' }],
    ['a block that is no object', { content: ['x'] }],
    ['a block without type', { content: [{}] }],
    ['a text block without text', { content: [{ type: 'text' }] }],
    ['an image without its type', { content: [{ type: 'image', data: 'x' }] }],
    ['an embedded resource without URI', { content: [{ type: 'resource', resource: {} }] }],
    ['members of its own and no content', { output: 'x' }],
    ['a million levels', JSON.parse(`{"content":[],"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)],
  ])('is refused: %s', (_, result) => {
    expect(checkResult('tools/call', result)).toHaveProperty('problem');
  });
});

test.each([
  ['prompts/get', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }, true],
  ['prompts/get', { messages: ['x'] }, false],
  ['prompts/get', {}, false],
  ['resources/read', { contents: [{ uri: 'a://b', text: 'x' }] }, true],
  ['resources/read', { contents: [{ text: 'x' }] }, false],
  ['resources/read', { contents: {} }, false],
] as const)('%s: %o', (method, result, isRight) => {
  expect('result' in checkResult(method, result)).toBe(isRight);
});

test('the text of a result is all of its text blocks', () => {
  expect(textOf({ content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] })).toBe(
    'a\nb',
  );
  expect(textOf({})).toBe('');
});

test('depth is counted in containers', () => {
  expect(isDeeperThan([[1]], 2)).toBe(false);
  expect(isDeeperThan([[[]]], 2)).toBe(true);
  expect(isDeeperThan('x', 0)).toBe(false);
});
