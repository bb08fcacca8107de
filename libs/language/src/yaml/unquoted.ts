/**
 * `{ url: ${{ inputs.url }} }`: inside braces, YAML takes the expression's own braces for maps. It is the commonest
 * mistake, so it has a finding of its own, and the rest of the file is still read.
 */
import { scan, type Span } from '@baton/expressions';

import type { Problem } from '../problem.ts';

export interface QuotedText {
  /** As long as the original, expressions replaced by quoted texts of the same length. */
  readonly text: string;
  /** Their original places. */
  readonly spans: readonly Span[];
}

const opening = '${{';

/** Undefined if no line with a syntax error has such an expression. */
export function quoteExpressions(text: string, problems: readonly Problem[]): QuotedText | undefined {
  const spans = problems.flatMap(({ span }) => (span === undefined ? [] : unquotedIn(text, span[0])));
  if (spans.length === 0) return undefined;
  const pieces = spans.map(([start, end], i) => {
    const before = text.slice(spans[i - 1]?.[1] ?? 0, start);
    return `${before}"${'x'.repeat(end - start - 2)}"`;
  });
  return { text: pieces.join('') + text.slice(spans.at(-1)?.[1]), spans };
}

/** Expressions without quotes on the line of the place. The first that does not end ends the search. */
function unquotedIn(text: string, at: number): Span[] {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
  const line = text.slice(lineStart, lineEnd);
  const spans: Span[] = [];
  for (let hole = line.indexOf(opening); hole >= 0;) {
    const start = startOfText(line, hole);
    const end = endOfText(line, hole);
    if (end === undefined) break;
    const isBare = start !== undefined && /^[ \t]*[,}\]]/.test(line.slice(end, end + 80));
    if (isBare) spans.push([lineStart + start, lineStart + end]);
    hole = line.indexOf(opening, end);
  }
  return spans;
}

/** The position at which the unquoted text around the expression begins; undefined where there is none. */
function startOfText(line: string, hole: number): number | undefined {
  const before = line.slice(Math.max(0, hole - 200), hole);
  const text = /(?<=[[{,:][ \t]*)[^[\]{},:"'#\s][^[\]{},:"'#]*$|(?<=[[{,:][ \t]*)$/.exec(before)?.[0];
  return text === undefined ? undefined : hole - text.length;
}

/** Its end: after its last expression, and the text that follows it. */
function endOfText(line: string, hole: number): number | undefined {
  for (let at = hole; ;) {
    const { end } = scan(line, at + opening.length);
    if (end === undefined) return undefined;
    const after = line.slice(end + 2);
    const plain = /^[^[\]{},"'#$]*/.exec(after)?.[0] ?? '';
    if (!after.startsWith(opening, plain.length)) return end + 2 + plain.trimEnd().length;
    at = end + 2 + plain.length;
  }
}

export const unquotedProblem = (span: Span): Problem => ({
  code: 'expression-unquoted',
  pointer: '',
  span,
  message: 'Inside `{ }` and `[ ]`, a text with an expression needs quotes around it.',
  hint: 'write "${{ … }}"',
});
