/** Regular expressions in linear time, for untrusted patterns. */
import { RE2JS, RE2JSException } from 're2js';

import { CompileCache } from '../cache.ts';
import { limits } from '../limits.ts';
import { excerpt } from '../source/excerpt.ts';
import { patternSize } from './patternSize.ts';

export interface Pattern {
  /** Whether the text contains a match. */
  test(text: string): boolean;
  /** Number of instructions; the cost of each character grows with it. */
  readonly size: number;
}

const cache = new CompileCache<string, Pattern | string>(512);

/** Returns a sentence if it is no valid pattern. */
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

/** In the units of an expression's budget, 100 ns each. Call this before compiling. */
export const compileCost = (source: string): number =>
  500 + patternSize(source.slice(0, limits.schema.patternCharacters)) * 50;

/** In the same units. The slowest pattern found took 2.4 microseconds a character with 1,500 instructions. */
export const searchCost = ({ size }: Pattern, characters: number): number => 10 + (characters * (size + 8)) / 32;
