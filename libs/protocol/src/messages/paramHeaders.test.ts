import { describe, expect, test } from 'vitest';

import { paramHeadersIn, paramHeadersOf } from './paramHeaders.ts';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    nested: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    free: { type: 'string', default: { 'x-mcp-header': 'data, not a declaration' } },
  },
};

test('arguments that are declared become headers, at any depth', () => {
  const args = { region: 'eu west', nested: { count: 3 }, dry: false, free: 'x' };
  expect(paramHeadersOf(schema, args)).toEqual({
    'Mcp-Param-Region': 'eu west',
    'Mcp-Param-Count': '3',
    'Mcp-Param-Dry': 'false',
  });
});

test('what is not there, or is of no text, has none', () => {
  expect(paramHeadersOf(schema, { region: null, nested: [], dry: { a: 1 } })).toEqual({});
});

test.each([
  ['', '=?base64??='],
  [' padded', `=?base64?${btoa(' padded')}?=`],
  ['line\nend', `=?base64?${btoa('line\nend')}?=`],
  ['Zürich', '=?base64?WsO8cmljaA==?='],
  ['=?base64?eA==?=', `=?base64?${btoa('=?base64?eA==?=')}?=`],
  ['tab\tinside', 'tab\tinside'],
])('%o travels as %s', (region, header) => {
  expect(paramHeadersOf(schema, { region })).toEqual({ 'Mcp-Param-Region': header });
});

describe('a declaration is refused', () => {
  const at = (more: object) => ({ type: 'object', properties: { a: { type: 'string', ...more } } });
  test.each([
    ['that is no name', at({ 'x-mcp-header': 'a b' }), /name of a header/],
    ['that is empty', at({ 'x-mcp-header': '' }), /name of a header/],
    ['on a number', at({ type: 'number', 'x-mcp-header': 'A' }), /neither string/],
    ['in a list', at({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }), /"properties" alone/],
    ['in an alternative', { anyOf: [at({ 'x-mcp-header': 'A' })] }, /"properties" alone/],
    ['at the top', { type: 'string', 'x-mcp-header': 'A' }, /"properties" alone/],
    [
      'made twice',
      { properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } } },
      /twice/,
    ],
  ])('%s', (_, inputSchema, why) => {
    expect(paramHeadersIn(inputSchema)).toMatchObject({ problem: expect.stringMatching(why) as string });
    expect(paramHeadersOf(inputSchema, { a: 'x' })).toEqual({});
  });
});
