/**
 * `{ url: ${{ inputs.url }} }`: inside braces, YAML takes the expression's own braces for maps.
 * It is the commonest slip there is, so it is named for what it is and the rest of the file is still read.
 */
import { scan } from '../expression/scan.ts';
import type { Problem } from '../problem.ts';
import type { Span } from '../source/source.ts';

export interface Mended {
  /** As long as the original, expressions replaced by quoted texts of the same length. */
  readonly text: string;
  /** Where they stood. */
  readonly spans: readonly Span[];
}

const opening = '${{';

/** Undefined where no line with a syntax error holds such an expression. */
export function mendUnquoted(text: string, problems: readonly Problem[]): Mended | undefined {
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
  for (let start = line.indexOf(opening); start >= 0;) {
    const { end } = scan(line, start + opening.length);
    if (end === undefined) break;
    const isBare =
      /[[{,:][ \t]*$/.test(line.slice(Math.max(0, start - 80), start)) &&
      /^[ \t]*[,}\]]/.test(line.slice(end + 2, end + 80));
    if (isBare) spans.push([lineStart + start, lineStart + end + 2]);
    start = line.indexOf(opening, end + 2);
  }
  return spans;
}

export const unquotedProblem = (span: Span): Problem => ({
  code: 'expression-unquoted',
  pointer: '',
  span,
  message: 'Inside `{ }` and `[ ]`, an expression needs quotes around it.',
  hint: 'write "${{ … }}"',
});
