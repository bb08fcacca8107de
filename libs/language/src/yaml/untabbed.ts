/** Replaces the tabs that a text is indented with by spaces. */
import { Document } from './document.ts';

/** Widths of a tab, the usual one of workflow files first. */
const widths = [2, 4, 8];
/** A replaced tab can reveal the next one. */
const roundsMax = 8;

/**
 * The text with spaces in place of the tabs that YAML refuses. Undefined if no width of a tab makes it YAML, or two
 * widths give it different meanings.
 */
export function untabbed(text: string): string | undefined {
  const all = widths.map((width) => withSpaces(text, width)).filter(isIndentedRight);
  const least = Math.min(...all.map(({ problems }) => problems.length));
  const read = all.filter(({ problems }) => problems.length === least);
  const meanings = new Set(read.map(({ value }) => JSON.stringify(value)));
  return meanings.size === 1 ? read[0]?.source.text : undefined;
}

/** Only lines with a complaint change: the lines of a text in a block may begin with tabs. */
function withSpaces(text: string, width: number): Document {
  let document = new Document(text);
  for (let round = 0; round < roundsMax; round++) {
    const { source, problems } = document;
    const lines = new Set(
      problems.flatMap(({ code, span }) => (code === 'yaml-tab' && span ? [source.position(span[0]).line] : [])),
    );
    if (lines.size === 0) break;
    const spaces = ' '.repeat(width);
    const changed = source.text
      .split('\n')
      .map((line, at) =>
        lines.has(at + 1) ? line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', spaces)) : line,
      );
    document = new Document(changed.join('\n'));
  }
  return document;
}

const isIndentedRight = ({ problems }: Document): boolean =>
  problems.every(({ code }) => code !== 'yaml-tab' && code !== 'yaml-indent');
