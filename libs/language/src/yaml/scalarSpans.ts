/**
 * The position in the file of each character of a text value.
 *
 * The two differ by quotes, escapes, line folding and the indentation of block texts. Folding changes only white space,
 * so the n-th character of the value that is no white space is the n-th such character of the source.
 */
import type { Span } from '@baton/expressions';
import type { Scalar } from 'yaml';

/** For a value of n characters, n spans. White space has an empty one, near its place. */
export function scalarSpans(text: string, { type, value }: Scalar, [start, end]: Span): Span[] {
  const isBlock = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
  const isQuoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
  const decoded = String(value);
  const spans: Span[] = [];
  const unquoted = isBlock ? afterLine(text, start) : start;
  let at = isQuoted ? start + 1 : unquoted;
  for (let i = 0; i < decoded.length; i++) {
    if (isWhite(decoded[i])) {
      spans.push([at, at]);
      continue;
    }
    at = afterWhite(text, at, end, type);
    const length = lengthAt(text, at, type);
    spans.push([at, Math.min(at + length, end)]);
    // One escape can stand for a character beyond U+FFFF, which is two in the value.
    const isHalf = length === 10 && /[\ud800-\udbff]/.test(decoded[i] ?? '');
    if (!isHalf) at += length;
  }
  return spans;
}

const isWhite = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\t' || character === '\r';

function afterWhite(text: string, from: number, end: number, type: Scalar['type']): number {
  let at = from;
  while (at < end) {
    if (isWhite(text[at])) at++;
    else if (type === 'QUOTE_DOUBLE' && text[at] === '\\' && isWhite(escaped(text, at))) at += lengthAt(text, at, type);
    else return at;
  }
  return at;
}

const escapeLengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
const whiteEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', ' ': ' ', '\t': '\t', '\n': '\n' };

/** The kind of character that the escape produces. */
function escaped(text: string, at: number): string | undefined {
  const kind = text[at + 1] ?? '';
  const length = escapeLengths[kind];
  if (length === undefined) return whiteEscapes[kind];
  const code = Number.parseInt(text.slice(at + 2, at + length), 16);
  return code > 0 && code < 0x80 ? String.fromCharCode(code) : undefined;
}

function lengthAt(text: string, at: number, type: Scalar['type']): number {
  if (type === 'QUOTE_SINGLE' && text[at] === "'") return 2;
  if (type === 'QUOTE_DOUBLE' && text[at] === '\\') return escapeLengths[text[at + 1] ?? ''] ?? 2;
  return 1;
}

function afterLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}
