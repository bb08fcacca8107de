import * as fc from 'fast-check';
import { RE2JS, RE2JSException } from 're2js';
import { describe, expect, test } from 'vitest';

import { compilePattern } from './pattern.ts';
import { patternSize } from './patternSize.ts';

describe('[L-103] the size of a pattern', () => {
  test.each([
    ['abc', 3],
    ['a{10}', 10],
    ['(ab){10}', 40],
    ['((a{1,10}){1,10}){1,9}', 1_900],
    ['[^a]{0,900}', 1_800],
    [String.raw`\p{L}[\p{L}\p{N}]`, 60],
  ])('of %s is told before it is made', (source, least) => {
    expect(patternSize(source)).toBeGreaterThanOrEqual(least);
  });

  /**
   * Goal: what is refused for its size is refused before it takes any time, so the guess is never far too low.
   * Method: random patterns of groups, classes and repetitions, each made, and what came of it counted.
   */
  test('is not much less than what becomes of it', () => {
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('a', '.', '[a-z]', String.raw`\d`, String.raw`\p{L}`, '[^x]', 'ab|c', '(?:)', String.raw`\(`),
        fc.tuple(tie('node'), fc.nat(6), fc.nat(6)).map(([one, least, more]) => `(${one}){${least},${least + more}}`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{3}', '{2,}'))
          .map(([one, times]) => `(?:${one})${times}`),
        fc.tuple(tie('node'), tie('node')).map(([one, other]) => `${one}${other}`),
      ),
    }));
    const sizeOf = (source: string): number => {
      try {
        return RE2JS.compile(source).programSize();
      } catch (error) {
        if (error instanceof RE2JSException) return 0;
        throw error;
      }
    };
    fc.assert(
      fc.property(
        node.filter((source) => patternSize(source) < 5_000),
        (source) => {
          expect(sizeOf(source)).toBeLessThanOrEqual(20 + 3 * patternSize(source));
        },
      ),
    );
  });

  test('keeps a pattern from being made that repeats too much', () => {
    expect(compilePattern('((a{1,100}){1,10}){1,9}')).toContain('repeats too much');
    expect(compilePattern(`${'[^a]{0,900}|'.repeat(50)}x`)).toContain('repeats too much');
    expect(compilePattern('[A-Za-z0-9._%+-]{1,64}@[a-z0-9.-]{1,255}')).toBeTypeOf('object');
  });
});
