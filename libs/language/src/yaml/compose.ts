/** Composes tokens into nodes, and collects the composer's errors. */
import type { Span } from '@baton/expressions';
import { type Document, type ParsedNode, Composer } from 'yaml';

import type { Problem } from '../problem.ts';
import { syntaxProblems } from './syntax.ts';
import { type Tokens, tokenize } from './tokens.ts';
import { quoteExpressions, unquotedProblem } from './unquoted.ts';

export interface ComposedDocument {
  /** Null: the text is empty. Undefined: it could not be read. */
  readonly root: ParsedNode | null | undefined;
  readonly problems: readonly Problem[];
  /** Texts that were quoted so that they can be read; the source has their original text. */
  readonly mended: ReadonlyMap<number, Span>;
}

/** `tokens`: of the text. */
export function compose(text: string, tokens: Tokens): ComposedDocument {
  const first = composeOnce(text, tokens);
  const mended = quoteExpressions(text, first.problems);
  if (mended === undefined) return { ...first, mended: new Map() };
  const second = composeOnce(mended.text, tokenize(mended.text));
  return {
    root: second.root,
    problems: [...second.problems, ...mended.spans.map(unquotedProblem)],
    mended: new Map(mended.spans.map((span) => [span[0], span])),
  };
}

function composeOnce(text: string, { tokens, problems, isCut }: Tokens): Pick<ComposedDocument, 'root' | 'problems'> {
  if (isCut) return { root: undefined, problems: [...problems, ...tokenErrors(text, tokens)] };
  const [document, second] = composeTokens(tokens, text.length);
  const root = document?.contents;
  const errors = syntaxProblems(text, document?.errors ?? []).filter(({ span }) => !overlaps(problems, span));
  return { root, problems: [...problems, ...errors, ...(second === undefined ? [] : [extraDocument(text, second)])] };
}

/** `length`: of the text. */
export const composeTokens = (tokens: Tokens['tokens'], length: number): Document.Parsed[] =>
  withoutStacks(() => [
    ...new Composer({
      version: '1.2',
      schema: 'core',
      intAsBigInt: true,
      uniqueKeys: false,
      merge: false,
      stringKeys: true,
      strict: true,
      prettyErrors: false,
      logLevel: 'silent',
    }).compose(tokens, true, length),
  ]);

const overlaps = (problems: readonly Problem[], span: Span | undefined): boolean =>
  problems.some(
    ({ span: other }) => span !== undefined && other !== undefined && span[0] < other[1] + 1 && other[0] < span[1],
  );

/** Where the text stops being YAML: what is wrong with that line, as far as it can be told. */
function tokenErrors(text: string, tokens: Tokens['tokens']): readonly Problem[] {
  const offset = tokens.find(({ type }) => type === 'error')?.offset;
  if (offset === undefined) return [];
  const [start, end] = [text.lastIndexOf('\n', offset - 1) + 1, text.indexOf('\n', offset)];
  const before = end < 0 ? '' : text.slice(0, end);
  const read = tokenize(before);
  const [first] = read.isCut ? [] : composeOnce(before, read).problems;
  if (first?.span !== undefined && first.span[0] >= start) return [first];
  return [
    {
      code: 'yaml-syntax',
      pointer: '',
      span: [offset, Math.min(offset + 1, text.length)],
      message: 'From here on, the text is not YAML.',
    },
  ];
}

function extraDocument(text: string, { range }: Document.Parsed): Problem {
  const before = text.lastIndexOf('---', range[1]);
  const start = before < 0 ? range[0] : before;
  return {
    code: 'yaml-documents',
    pointer: '',
    span: [start, start + 3],
    message: 'A file holds one workflow: a second YAML document begins here.',
    hint: 'put it into a file of its own',
  };
}

/**
 * The composer makes an Error for each mistake, and a hostile text has 200,000: their stacks would take two seconds.
 */
function withoutStacks<T>(compose: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return compose();
  } finally {
    Error.stackTraceLimit = before;
  }
}
