import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type JsonFault, syntaxFault } from './jsonFaults.ts';
import { readJson } from './readJson.ts';

function refusal(text: string): readonly JsonFault[] {
  const reading = readJson(text, 'The body');
  if ('faults' in reading) return reading.faults;
  throw new Error('it was taken');
}

const stopsAt = (text: string): number => (syntaxFault(text, 'The body').column ?? 0) - 1;

describe('JSON from outside', () => {
  /**
   * Goal: what is taken is what JSON.parse makes of it, and nothing harmless is refused.
   * Method: any JSON value, printed in some layout.
   */
  test('is taken as it is', () => {
    const harmless = fc.jsonValue({ maxDepth: 5 }).filter((value) => {
      const text = JSON.stringify(value);
      return !/__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/.test(text) && !/\d{16}/.test(text);
    });
    fc.assert(
      fc.property(harmless, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text, 'The body')).toEqual({ value: JSON.parse(text) as unknown });
      }),
    );
  });

  test.each(['1e21', '1.5', '-0', '1e300', '"\\ud83d\\ude00"', '{"a":{"a":1},"b":[{"a":1},{"a":2}]}', '"a:b"'])(
    '%s is taken',
    (text) => {
      expect(readJson(text, 'The body')).toEqual({ value: JSON.parse(text) as unknown });
    },
  );

  test.each([
    ['duplicate-key', '/b/c', '{"a":1,"b":{"c":1,"c":2}}'],
    ['duplicate-key', '/a', String.raw`{"a":1,"\u0061":2}`],
    ['duplicate-key', '/0/x~1y', '[{"x/y":1,"x/y":1}]'],
    ['forbidden-key', '/input/a/__proto__', '{"input":{"a":{"__proto__":{"admin":true}}}}'],
    ['forbidden-key', '/constructor', '{"constructor":{"prototype":{}}}'],
    ['invalid-string', '/a/1', String.raw`{"a":["b","\u0000"]}`],
    ['invalid-string', '/a', String.raw`{"a":"\ud800"}`],
    ['invalid-string', '/\udc00', String.raw`{"\udc00":1}`],
    ['number-too-large', '/1', '[1,12345678901234567890]'],
    ['number-not-finite', '/a', '{"a":1e400}'],
    ['too-deep', '/0'.repeat(64), `${'['.repeat(65)}${']'.repeat(65)}`],
    ['too-deep', `/a${'/0'.repeat(63)}`, `{"a":${'['.repeat(300_000)}${']'.repeat(300_000)}}`],
  ])('is refused with its place: %s', (code, pointer, text) => {
    expect(refusal(text)[0]).toMatchObject({ code, pointer });
  });

  test('with more keys than the limit is refused', () => {
    const body = JSON.stringify(Array.from({ length: 10_001 }, () => ({ a: 1 })));
    expect(refusal(body)[0]?.code).toBe('too-many-keys');
  });

  test('every fault is reported, up to a limit', () => {
    expect(refusal('{"__proto__":1,"a":1,"a":"\\u0000"}').map(({ code }) => code)).toEqual([
      'forbidden-key',
      'duplicate-key',
      'invalid-string',
    ]);
    expect(refusal(`[${'"\\u0000",'.repeat(1_000)}1]`)).toHaveLength(20);
  });

  test.each([
    ['{"workflow":', 1, 13],
    ['{\n  "a": tru }', 2, 8],
    ['{"a":1}x', 1, 8],
    ['[1,]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['{1:2}', 1, 2],
    ['[1}', 1, 3],
    ['"a\tb"', 1, 1],
    ['[01]', 1, 3],
    ['{"é": \n [}', 2, 3],
  ])('%j is told where it stops being JSON, without being repeated', (text, line, column) => {
    const [fault] = refusal(text);
    expect(fault).toMatchObject({ code: 'json-syntax', line, column });
    expect(fault?.message).not.toContain('workflow');
  });

  /**
   * Goal: the place is told if and only if the engine finds fault.
   * Method: texts made of the marks of JSON, most of them nearly right.
   */
  test('the reported place is where the engine stops, too', () => {
    const marks = fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '1', '-', 'true', ' ', '"', '\\', '0.5e3', 'x');
    fc.assert(
      fc.property(fc.array(marks, { minLength: 1, maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const isJson = ((): boolean => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        const stop = stopsAt(text);
        // What stops early stops there, however much of what follows is cut off.
        const found = isJson || stop === text.length ? stop : stopsAt(text.slice(0, stop));
        expect(found).toBe(isJson ? text.length : stop);
      }),
      { numRuns: 2_000 },
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json({ stringUnit: 'binary' }),
          fc.string({ unit: fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', 'u', 'e', '0', '1') }),
        ),
        (text) => {
          const reading = readJson(text, 'The body');
          expect('value' in reading || reading.faults.length > 0).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
