/**
 * The first, iterative pass over a YAML text: finds what must not reach the recursive composer.
 *
 * A few kilobytes of nested brackets make the composer exhaust the stack and can abort the whole process, so depth is
 * counted on the parser's own stack and reading stops there. Tags, anchors, aliases and directives are refused.
 */
import { limits, quoted } from '@baton/expressions';
import { type CST, Lexer, Parser } from 'yaml';

import type { FindingCode } from '../findingCodes.ts';
import type { Problem } from '../problem.ts';
import { runToEnd } from '../runToEnd.ts';

export interface Tokens {
  readonly tokens: readonly CST.Token[];
  readonly problems: readonly Problem[];
  /** The text was not read to its end. */
  readonly isCut: boolean;
  /** At least how many words and marks it has. */
  readonly count: number;
}

/** Announces that the next lexeme is a scalar's text (`yaml`'s lexer protocol). */
const scalarMark = '\x1f';
const problemsMax = limits.document.findings;

export const tokenize = (text: string): Tokens => runToEnd(tokenizing(text));

/** Lexemes in one piece of work. */
const pieceLexemes = 16_384;

export function* tokenizing(text: string): Generator<void, Tokens> {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const problems: Problem[] = [];
  let count = 0;
  let errors = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    const refused = isScalar ? undefined : refusal(lexeme);
    if (refused !== undefined) problems.push(placed(refused, offset, lexeme.length));
    isScalar = lexeme === scalarMark;
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') errors++;
    }
    if (isTooDeep(parser.stack)) {
      problems.push(placed(tooDeep, offset, Math.max(1, lexeme.length)));
      return { tokens, problems, isCut: true, count };
    }
    if (++count > limits.document.tokens) {
      problems.push(placed(tooLong, offset, 1));
      return { tokens, problems, isCut: true, count };
    }
    if (problems.length >= problemsMax || errors >= problemsMax) break;
    if (count % pieceLexemes === 0) yield;
  }
  const isCut = problems.length >= problemsMax || errors >= problemsMax;
  tokens.push(...parser.end());
  return { tokens, problems, isCut, count };
}

type TokenRefusal = Pick<Problem, 'code' | 'message' | 'hint'>;

const placed = (refusal: TokenRefusal, offset: number, length: number): Problem => ({
  ...refusal,
  pointer: '',
  span: [offset, offset + length],
});

const tooDeep: TokenRefusal = {
  code: 'too-deep',
  message: `Lists and maps are nested more than ${limits.document.depth} deep here.`,
};

const tooLong: TokenRefusal = {
  code: 'too-large',
  message: `The text has more than ${limits.document.tokens} words and marks; the rest was not read.`,
};

const refusals: Readonly<Record<string, readonly [FindingCode, (lexeme: string) => string, string]>> = {
  '&': ['yaml-anchor', (lexeme) => `Anchors such as ${quoted(lexeme)} are not allowed.`, 'write the value out'],
  '*': ['yaml-alias', (lexeme) => `Aliases such as ${quoted(lexeme)} are not allowed.`, 'write the value out'],
  '!': ['yaml-tag', (lexeme) => `Tags such as ${quoted(lexeme)} are not allowed.`, 'put quotes around it to mean text'],
  '%': ['yaml-directive', (lexeme) => `Directives such as ${quoted(lexeme.trim())} are not allowed.`, 'leave it out'],
};

function refusal(lexeme: string): TokenRefusal | undefined {
  const found = refusals[lexeme[0] ?? ''];
  if (found === undefined) return undefined;
  const [code, message, hint] = found;
  return { code, message: message(lexeme), hint };
}

const collections = new Set(['block-map', 'block-seq', 'flow-collection']);

function isTooDeep(stack: readonly CST.Token[]): boolean {
  const { depth } = limits.document;
  return stack.length > depth && stack.filter(({ type }) => collections.has(type)).length > depth;
}
