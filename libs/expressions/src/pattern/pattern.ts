/** Regular expressions in linear time, for untrusted patterns. */
import { MatcherInput, RE2JS, RE2JSException } from 're2js';

import { CompileCache } from '../cache.ts';
import { limits } from '../limits.ts';
import { excerpt } from '../source/excerpt.ts';
import { patternSize } from './patternSize.ts';

export interface Pattern {
  /** Whether the text contains a match. */
  test(text: string): boolean;
  /** Number of instructions; the cost of each character grows with it. */
  readonly size: number;
  /** Groups that take a part out. */
  readonly groups: number;
  /** From the first to the last. Before characters are read, their number is given to `onRead`, which may throw. */
  matchesIn(text: string, onRead: (characters: number) => void): Generator<PatternMatch, void>;
}

/** UTF-16 offsets. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** All that matched, and then its groups; undefined: the group is in another alternative. */
  readonly groups: readonly (string | undefined)[];
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
    return {
      test: (text) => pattern.test(text),
      size: pattern.programSize(),
      groups: pattern.groupCount(),
      matchesIn: (text, onRead) => matchesOf(pattern, text, onRead),
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `the pattern is not one of RE2: ${excerpt(error.message.replace(/^error parsing regexp: /, ''))}`;
  }
}

function* matchesOf(pattern: RE2JS, text: string, onRead: (characters: number) => void): Generator<PatternMatch, void> {
  const matcher = pattern.matcher(MatcherInput.utf16(new MeteredText(text, onRead)));
  while (matcher.find()) {
    const groups = Array.from({ length: pattern.groupCount() + 1 }, (_, i) => {
      const start = matcher.start(i);
      return start < 0 ? undefined : text.slice(start, matcher.end(i));
    });
    yield { start: matcher.start(), end: matcher.end(), groups };
  }
}

/**
 * Counts what is read of a text. One search takes time linear in the text, but it may look far ahead of its match, and
 * all of them together may read the text as often as it has matches.
 */
class MeteredText extends String {
  readonly #onRead: (characters: number) => void;
  #unpaid = 0;

  constructor(text: string, onRead: (characters: number) => void) {
    super(text);
    this.#onRead = onRead;
  }

  override charCodeAt(index: number): number {
    this.#unpaid += 1;
    if (this.#unpaid === paidAtOnce) {
      this.#unpaid = 0;
      this.#onRead(paidAtOnce);
    }
    return super.charCodeAt(index);
  }

  /** The runtime's own search takes a hundredth of the time. */
  override indexOf(part: string, from = 0): number {
    const found = super.indexOf(part, from);
    this.#onRead(Math.max(0, (found < 0 ? this.length : found) - from) / 100);
    return found;
  }
}

const paidAtOnce = 128;

/** In the units of an expression's budget, 100 ns each. Call this before compiling. */
export const compileCost = (source: string): number =>
  500 + patternSize(source.slice(0, limits.schema.patternCharacters)) * 50;

/** In the same units: the cost of reading a character once. A search reads each several times. */
export const readCost = ({ size }: Pattern): number => (size + 8) / 16;

/** In the same units. The slowest pattern found took 2.4 microseconds a character with 1,500 instructions. */
export const searchCost = ({ size }: Pattern, characters: number): number => 10 + (characters * (size + 8)) / 32;
