/**
 * CEL text to a syntax tree, by `@marcbachmann/cel-js`. Size and nesting are bounded before its recursive parser sees it.
 *
 * Only the library's parser is used. Its evaluator counts no cost, swallows errors (a spent budget among them) inside
 * `||` and `all`, matches with the native RegExp, and keeps a type for every shape of data that it has ever seen;
 * `compile.ts` walks the tree instead.
 */
import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';

import { limits } from '../limits.ts';
import { excerpt, quoted } from '../source/excerpt.ts';
import { falseSpaceIn } from '../source/falseSpace.ts';
import { didYouMean } from '../source/nearest.ts';
import type { Span } from '../source/source.ts';
import { scan } from './scan.ts';

export type ExpressionNode = ASTNode;

export type SyntaxCode =
  | 'expression-syntax'
  | 'expression-too-large'
  | 'expression-empty'
  | 'expression-braces'
  | 'expression-arguments'
  | 'expression-unclosed'
  | 'unknown-function'
  | 'invalid-pattern';

/** The text is no valid expression, or exceeds a limit. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
  readonly code: SyntaxCode;
  readonly span: Span;
  readonly hint: string | undefined;

  constructor(code: SyntaxCode, message: string, span: Span, hint?: string) {
    super(message);
    this.code = code;
    this.span = span;
    this.hint = hint;
  }
}

const { characters, nodes, nesting } = limits.expression;

const environment = new Environment({
  enableOptionalTypes: true,
  limits: { maxAstNodes: nodes, maxDepth: nesting, maxListElements: nodes, maxMapEntries: nodes, maxCallArguments: 32 },
});

/** Throws `SyntaxProblem`. */
export function parse(source: string): ExpressionNode {
  checkSize(source);
  try {
    return parseNames(source);
  } catch (error) {
    if (error instanceof ParseError) throw explained(source, error);
    throw error;
  }
}

/** CEL reserves some words, such as `package`, `import` and `namespace`. Here they are names. */
function parseNames(source: string): ExpressionNode {
  let text = source;
  const names = new Map<number, string>();
  for (;;) {
    try {
      const { ast } = environment.parse(text);
      if (names.size > 0) restore(ast, source, names);
      return ast;
    } catch (error) {
      const isWord = error instanceof ParseError && error.code === 'reserved_identifier' && error.range !== undefined;
      if (!isWord || names.size >= wordsMax) throw error;
      const { start, end } = error.range;
      names.set(start, source.slice(start, end));
      // As long as the word, so that positions in the text stay valid.
      text = `${text.slice(0, start)}${'_'.repeat(end - start)}${text.slice(end)}`;
    }
  }
}

const wordsMax = 32;

function restore(node: ExpressionNode, source: string, names: ReadonlyMap<number, string>): void {
  const all: unknown[] = [node];
  for (let value = all.pop(); value !== undefined; value = all.pop()) {
    if (Array.isArray(value)) all.push(...value);
    if (!isNode(value)) continue;
    if (value.op === 'id') value.args = names.get(value.start) ?? value.args;
    // The library's own is a getter; messages quote what was written.
    Object.defineProperty(value, 'input', { value: source });
    all.push(value.args);
  }
}

interface LooseNode {
  readonly op: string;
  readonly start: number;
  args: unknown;
}

const isNode = (value: unknown): value is LooseNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'input' in value;

function checkSize(source: string): void {
  if (source.trim() === '')
    throw new SyntaxProblem('expression-empty', 'There is no expression here.', [0, source.length]);
  if (source.length > characters) {
    const message = `The expression has ${source.length} characters; ${characters} is the most.`;
    throw new SyntaxProblem('expression-too-large', message, whole(source));
  }
  const { tooDeepAt } = scan(source, 0);
  if (tooDeepAt !== undefined) {
    const message = `Brackets are nested more than ${nesting} deep here.`;
    throw new SyntaxProblem('expression-too-large', message, [tooDeepAt, tooDeepAt + 1]);
  }
  const braces = source.indexOf('${{');
  if (braces >= 0 && source.trimStart().startsWith('${{')) {
    const message = 'A condition is an expression as it stands, without `${{ }}`.';
    throw new SyntaxProblem('expression-braces', message, [braces, braces + 3], `write it without \${{ and }}`);
  }
}

const whole = (source: string): Span => [source.length - source.trimStart().length, source.trimEnd().length];

const tokenWords: Readonly<Record<string, string>> = {
  IDENTIFIER: 'a name',
  RPAREN: '`)`',
  RBRACKET: '`]`',
  RBRACE: '`}`',
  LPAREN: '`(`',
  COLON: '`:`',
};

function explained(source: string, error: ParseError): SyntaxProblem {
  const { start, end } = error.range ?? { start: 0, end: source.length };
  const from = Math.min(start, Math.max(0, source.trimEnd().length - 1));
  const span: Span = [from, Math.max(from + 1, Math.min(end, source.length))];
  if (error.code === 'limit_exceeded') {
    return new SyntaxProblem('expression-too-large', `The expression has more than ${nodes} parts.`, whole(source));
  }
  const hint = isAtEnd(source, error) ? missingAfter(source.trimEnd()) : slip(source, from);
  return new SyntaxProblem('expression-syntax', sentence(source, error, span), span, hint);
}

const isAtEnd = (source: string, { range }: ParseError): boolean => (range?.start ?? 0) >= source.trimEnd().length;

/** What an expression lacks that ends with an operator, or in a bracket. */
function missingAfter(source: string): string | undefined {
  const operator = /(?:[=!<>]=|&&|\|\||[-+*/%<>!:]|(?<!\.)\?|\bin)$/.exec(source)?.[0];
  if (operator !== undefined) return `a value is missing after \`${operator}\``;
  return /[([{,]$/.test(source) ? 'a value or a closing bracket is missing' : undefined;
}

function sentence(source: string, error: ParseError, [from, to]: Span): string {
  const isEnd = isAtEnd(source, error);
  const token = quoted(source.slice(from, to));
  switch (error.code) {
    case 'unexpected_character':
    case 'unexpected_token':
      return isEnd ? 'The expression ends too early.' : `${token} cannot stand here.`;
    case 'expected_token': {
      const wanted = /Expected ([A-Z]+)/.exec(error.summary)?.[1] ?? '';
      return `${isEnd ? 'The expression ends' : `Here stands ${token}`} where ${tokenWords[wanted] ?? 'something else'} is expected.`;
    }
    case 'unterminated_string':
    case 'unterminated_triple_quoted_string':
    case 'newline_in_string':
      return 'A text in quotes is not closed.';
    case 'reserved_identifier':
      return `${token} is a reserved word of CEL.`;
    case 'invalid_macro_argument':
      return 'The first argument has to be a name for the item, as in `list.map(x, x + 1)`.';
    default:
      return `${excerpt(error.summary).replace(/\.$/, '')}.`;
  }
}

/** Common mistakes: operators of other languages, and the quotes of word processors. */
const slips: readonly (readonly [RegExp, string])[] = [
  [/^=>/, 'the name and what is made of it are two arguments: `list.map(x, x + 1)`'],
  [/^=(?!=)/, 'compare with `==`'],
  [/^===/, 'compare with `==`'],
  [/^&(?!&)/, 'write `&&`'],
  [/^\|(?!\|)/, 'write `||`, or call the function: `f(x)`'],
  [/^`/, 'texts need single or double quotes, and are joined with `+`'],
  [/^if\b/, 'write `condition ? one : other`'],
  [/^[\u2018\u2019\u201c\u201d]/u, 'use straight quotes'],
];

function slip(source: string, at: number): string | undefined {
  const rest = source.slice(at);
  const before = source.slice(0, at).trimEnd();
  if (/\bnot$/i.test(before)) return 'write `!`';
  if (before.endsWith('?') && /^\.\s*[A-Za-z_]/.test(rest)) return 'write `a.?b`';
  if (before.endsWith('?') && rest.startsWith('?')) return 'write `default(a, b)`';
  const name = /^\p{L}[\p{L}\p{M}\w]*/u.exec(rest)?.[0] ?? '';
  if (/[^A-Za-z_]/.test(name.charAt(0))) return foreignLetter(before, name);
  const space = falseSpaceIn(rest.slice(0, 1));
  if (space !== undefined) return `this is ${space}`;
  const known = slips.find(([pattern]) => pattern.test(rest));
  if (known !== undefined) return known[1];
  const word = /^[A-Za-z]+/.exec(rest)?.[0] ?? '';
  const wanted = { and: '&&', or: '||', not: '!', AND: '&&', OR: '||', NOT: '!' }[word];
  return wanted === undefined ? didYouMean(word, ['true', 'false', 'null', 'in']) : `write \`${wanted}\``;
}

/** `rest`: the part of a name from its first letter that CEL does not take. */
function foreignLetter(before: string, rest: string): string {
  const [, owner = '', optional = '', start = ''] = /(\w[\w.[\]"']*)\.(\??)(\w*)$/.exec(before) ?? [];
  if (owner !== '') return `write \`${excerpt(`${owner}[${optional}"${start}${rest}"]`)}\``;
  return 'names have the letters a to z, digits and underscores; a text needs quotes';
}
