/** Regular expressions that take time linear in the text, also those of strangers. */
import { RE2JS, RE2JSException } from 're2js';

import { CompileCache } from '../cache.ts';
import { limits } from '../limits.ts';
import { excerpt } from '../source/excerpt.ts';
import { patternSize } from './patternSize.ts';

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
  /** Instructions; what a character costs grows with them. */
  readonly size: number;
}

const cache = new CompileCache<string, Pattern | string>(512);

/** A sentence where it is not a pattern. */
export function compilePattern(source: string): Pattern | string {
  return cache.get(source, () => compiled(source));
}

function compiled(source: string): Pattern | string {
  const { patternCharacters, patternSize: sizeMax } = limits.schema;
  if (source.length > patternCharacters) return `the pattern has more than ${patternCharacters} characters`;
  if (patternSize(source) > sizeMax) return 'the pattern repeats too much: it would be too large';
  try {
    const pattern = RE2JS.compile(source);
    return { test: (text) => pattern.test(text), size: pattern.programSize() };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `the pattern is not one of RE2: ${excerpt(error.message.replace(/^error parsing regexp: /, ''))}`;
  }
}

/** In the units of an expression's budget, 100 ns each. To be asked before it is compiled. */
export const compileCost = (source: string): number =>
  500 + patternSize(source.slice(0, limits.schema.patternCharacters)) * 50;

/** In the same units. The slowest pattern found took 2.4 microseconds a character with 1,500 instructions. */
export const searchCost = ({ size }: Pattern, characters: number): number => 10 + (characters * (size + 8)) / 32;
