/** Parses expressions of GitHub Actions with GitHub's own parser. */
import { type Expr, type ExprVisitor, IndexAccess, Star } from '@actions/expressions/ast';
import { Lexer } from '@actions/expressions/lexer';
import { Parser } from '@actions/expressions/parser';
import { excerpt } from '@baton/expressions';

import { type Syntax, limitParts, literalOf, UnmappedError } from './syntax.ts';

/** https://docs.github.com/en/actions/reference/workflows-and-actions/contexts */
const contexts = 'env github inputs job jobs matrix needs runner secrets steps strategy vars'.split(' ');
/** Functions that the parser does not know by itself. */
const functions = ['always', 'cancelled', 'failure', 'hashFiles', 'success'].map((name) => ({
  name,
  minArgs: 0,
  maxArgs: 255,
}));
const charactersMax = 21_000;

/** Throws `UnmappedError`. */
export function readGithub(code: string): Syntax {
  if (code.length > charactersMax) throw new UnmappedError(`it has more than ${charactersMax} characters`);
  const { tokens } = asUnmapped(() => new Lexer(code).lex());
  limitParts(tokens.length - 1);
  // The type says that there is always a tree, but there is none for an empty expression.
  const tree = asUnmapped(() => new Parser(tokens, contexts, functions).parse() as Expr | undefined);
  if (tree === undefined) throw new UnmappedError('it is empty');
  return syntaxOf(tree);
}

/** The lexer throws a plain `Error`, whose message repeats the whole expression. */
function asUnmapped<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = error.message.replace(/\. Located at position (\d+) within expression: [^]*$/, ' at position $1');
    throw new UnmappedError(`it is not a valid expression of GitHub (${excerpt(why, 100)})`, { cause: error });
  }
}

const syntaxOf = (expression: Expr): Syntax => expression.accept(visitor);

const visitor: ExprVisitor<Syntax> = {
  visitLiteral: ({ literal }) => literalOf('value' in literal ? literal.value : null),
  visitUnary: ({ expr }) => ({ kind: 'not', of: syntaxOf(expr) }),
  visitBinary: ({ left, operator, right }) => ({
    kind: 'binary',
    operator: operator.lexeme,
    left: syntaxOf(left),
    right: syntaxOf(right),
  }),
  visitLogical: ({ operator, args }) =>
    args.map(syntaxOf).reduce((left, right) => ({ kind: 'binary', operator: operator.lexeme, left, right })),
  visitGrouping: ({ group }) => syntaxOf(group),
  visitContextAccess: ({ name }) => ({ kind: 'name', name: name.lexeme.toLowerCase() }),
  visitFunctionCall: ({ functionName, args }) => ({
    kind: 'call',
    callee: { kind: 'name', name: functionName.lexeme },
    args: args.map(syntaxOf),
  }),
  visitIndexAccess: (access) => indexed(access, (of) => of),
};

/** `labels.*.name`: the keys after a star apply to each item. */
function indexed({ expr, index }: IndexAccess, rest: (of: Syntax) => Syntax): Syntax {
  if (index instanceof Star) {
    const callee: Syntax = { kind: 'member', of: syntaxOf(expr), key: literalOf('map'), isOptional: false };
    return {
      kind: 'call',
      callee,
      args: [{ kind: 'arrow', parameter: 'one', body: rest({ kind: 'name', name: 'one' }) }],
    };
  }
  const taken = (of: Syntax): Syntax => rest({ kind: 'member', of, key: syntaxOf(index), isOptional: false });
  return expr instanceof IndexAccess ? indexed(expr, taken) : taken(syntaxOf(expr));
}
