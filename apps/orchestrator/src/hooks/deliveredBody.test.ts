import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { deliveredBody } from './deliveredBody.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const read = (type: string, body: string | Buffer, scheme: 'standard' | 'github' = 'standard') =>
  deliveredBody(type, Buffer.from(body as string), scheme);

describe('the body of a delivery', () => {
  test.each([
    ['item=a&item=b&item=c&n=1', { item: ['a', 'b', 'c'], n: '1' }],
    ['payload=hello', { payload: 'hello' }],
    ['payload={"a":1}', { payload: '{"a":1}' }],
    ['a=&b', { a: '', b: '' }],
    ['a=%00&%ED%A0%80=x', { a: '\ufffd', '\ufffd\ufffd\ufffd': 'x' }],
    ['', {}],
  ])('of the form %j keeps every field', (body, expected) => {
    expect(read(form, body)).toEqual(expected);
  });

  test('of a form of GitHub has the JSON of its field `payload`, if it is JSON', () => {
    expect(read(form, `payload=${encodeURIComponent('{"id":7615917337495251231}')}`, 'github')).toEqual({
      payload: { id: '7615917337495251231' },
    });
    expect(read(form, 'payload=hello&payload=[1]', 'github')).toEqual({ payload: ['hello', [1]] });
  });

  test.each([
    ['{"constructor":{"name":"a"},"prototype":[1]}', { constructor: { name: 'a' }, prototype: [1] }],
    [
      '{"id":7615917337495251231,"n":[-9007199254740993],"x":1e400}',
      { id: '7615917337495251231', n: ['-9007199254740993'], x: '1e400' },
    ],
    ['{"a":1,"b":2,"a":{"c":[]},"a":[3]}', { a: [1, { c: [] }, [3]], b: 2 }],
    [String.raw`{"a":"x\u0000y","\ud800":"\udc00"}`, { a: 'x\ufffdy', '\ufffd': '\ufffd' }],
    ['\ufeff{"a":1}', { a: 1 }],
    ['', null],
  ])('of the JSON %s is taken whole', (body, expected) => {
    expect(read(json, body)).toEqual(expected);
  });

  test('has a key `__proto__` as a key of its own', () => {
    const body = read(json, '{"a":{"__proto__":{"admin":true}},"b":1}') as { readonly a: object };
    expect(Object.entries(body.a)).toEqual([['__proto__', { admin: true }]]);
    expect(Object.getPrototypeOf(body.a)).toBe(Object.prototype);
    expect(Object.keys(read(form, '__proto__=1') as object)).toEqual(['__proto__']);
  });

  test('without a type is JSON if it is an object or a list, else a text', () => {
    expect(['{"a":1}', ' [1]', '{a', '12', ''].map((body) => read('', body))).toEqual([{ a: 1 }, [1], '{a', '12', '']);
    expect(read('text/plain', '{"a":1}')).toBe('{"a":1}');
  });

  test('is read in the charset that it names, and is base64 where it is no text', () => {
    const latin = Buffer.from('grün', 'latin1');
    expect(read('text/plain; charset=ISO-8859-1', latin)).toBe('grün');
    expect(read('text/plain; charset=nothing', 'grün')).toBe('grün');
    expect(read('application/octet-stream', latin)).toBe(latin.toString('base64'));
  });

  test('that calls itself JSON and is not is refused with the place', () => {
    expect(() => read(json, '{"type":')).toThrow('stops being JSON at line 1, column 9');
    expect(() => read(json, `${'['.repeat(101)}${']'.repeat(101)}`)).toThrow('nested more than 100 deep');
  });

  /**
   * Goal: nothing that JSON can say is lost or changed.
   * Method: any JSON value, in some layout, compared with JSON.parse.
   */
  test('is what JSON.parse makes of it, unless Baton cannot hold that', () => {
    const value = fc
      .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
      .filter((one) => !/\d{16}|\\u0000/.test(JSON.stringify(one)));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), (one, indent) => {
        const text = JSON.stringify(one, null, indent);
        expect(read(json, text)).toEqual(JSON.parse(text));
        // The slow reader, which a number that is too large calls for.
        expect(read(json, `[${text}, 9007199254740993]`)).toEqual([JSON.parse(text), '9007199254740993']);
      }),
    );
  });
});
