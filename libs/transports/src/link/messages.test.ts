import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isCall, readMessages, spoiltAnswerIn, textOf, type Message } from './messages.ts';

const answer = { id: 1_000_007, result: { content: [] } };
const written = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });

describe('a message is read', () => {
  test.each([
    ['as it is', written(answer)],
    ['after a byte order mark', `\uFEFF${written(answer)}`],
    ['between white space', `\r\n ${written(answer)}\t`],
    ['after a banner without a line end', `Loading model... done ${written(answer)}`],
    ['before a header of another framing', `${written(answer)}Content-Length: 44`],
    ['without its version', JSON.stringify(answer)],
    ['with another version', JSON.stringify({ jsonrpc: '1.0', ...answer })],
    ['with an error that is null', written({ ...answer, error: null })],
    ['in a batch', `[${written(answer)}]`],
  ])('%s', (_, text) => {
    expect(readMessages(text).messages).toEqual([answer]);
  });

  test('with the error beside a result that is null', () => {
    const error = { code: -32_602, message: 'no' };
    expect(readMessages(written({ id: 1, result: null, error })).messages).toEqual([{ id: 1, error }]);
  });

  test('without an id where that is null', () => {
    const error = { code: -32_700, message: 'Parse error' };
    expect(readMessages(written({ id: null, error })).messages).toEqual([{ error }]);
    expect(readMessages(written({ id: null, method: 'x' })).messages).toEqual([{ method: 'x', params: undefined }]);
  });

  /**
   * Goal: a message is read as it was written, alone and one after the other.
   * Method: answers with any JSON, braces and quotes in texts, glued together with and without line ends.
   */
  test('with any content, and with any message after it', () => {
    const message = fc.record({ id: fc.nat(), result: fc.dictionary(fc.string(), fc.jsonValue()) });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), fc.constantFrom('', ' ', '\n'), (all, between) => {
        // Through JSON, which knows no -0.
        const messages = JSON.parse(JSON.stringify(all)) as Message[];
        const reading = readMessages(messages.map(textOf).join(between));
        expect(reading).toEqual({ messages, rest: '' });
      }),
    );
  });
});

describe('output that is no message', () => {
  test.each([
    '',
    'Server started',
    '{"level":"info","message":"up"}',
    '{"error":"not found"}',
    '[1,2]',
    '"ok"',
    '{"jsonrpc":"2.0","id":1,"result":{"mean":NaN}}',
  ])('%s is returned as it came', (text) => {
    expect(readMessages(text)).toEqual({ messages: [], rest: text });
  });

  test('a request that a server logs as it received it is not one of its own', () => {
    const log = `DEBUG received ${written({ id: 1_000_003, method: 'tools/call', params: {} })}`;
    expect(readMessages(log)).toEqual({ messages: [], rest: log });
    expect(readMessages(written({ id: 3, method: 'ping' })).messages.every(isCall)).toBe(true);
  });

  test('braces without end are read in a time that grows with their number', () => {
    const text = '{'.repeat(2_000_000);
    expect(readMessages(text)).toEqual({ messages: [], rest: text });
  });
});

describe('an answer that is no JSON is told by its id', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":1000003,"result":{"mean":NaN}}', 1_000_003, true],
    ['{ "id" : "1000003" , "jsonrpc":"2.0", "result":{"text":"line one', 1_000_003, true],
    ['{"id":1000003,"error":{"code":-1,"message":"a\tb"}}', 1_000_003, false],
    ['{"result":{"x":Infinity},"id":1000003,"jsonrpc":"2.0"}', 1_000_003, true],
    ['line two"}]},"id":1000003}', 1_000_003, false],
  ])('%s', (text, id, isResult) => {
    expect(spoiltAnswerIn(text)).toEqual({ id, isResult });
  });

  test.each(['{"level":"info","id":1000003}x', 'INFO {"jsonrpc":"2.0","id":1000003,"result":{"content":[{"te', 'x'])(
    'and other output is not: %s',
    (text) => {
      expect(spoiltAnswerIn(text)).toBeUndefined();
    },
  );
});
