/** Splits texts with expressions between marks: `Hello {{ $json.name }}`. */

export interface Marks {
  readonly open: string;
  readonly close: string;
  /** Within texts in these quotes, marks do not count. */
  readonly quote?: string;
}

export const n8nMarks: Marks = { open: '{{', close: '}}' };
export const githubMarks: Marks = { open: '${{', close: '}}', quote: "'" };

/**
 * Returns texts and expressions alternately; the first and the last are texts. Takes linear time: a regular expression
 * would search to the end of the text from every unclosed mark.
 */
export function partsOf(text: string, { open, close, quote }: Marks): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  let quoted = quote;
  for (;;) {
    const start = text.indexOf(open, at);
    const first = start === -1 ? -1 : text.indexOf(close, start + open.length);
    const beyond =
      first === -1 || quoted === undefined ? first : indexOutsideQuotes(text, start + open.length, close, quoted);
    // No mark is outside of quotes, also not for those that open later.
    if (beyond === -1) quoted = undefined;
    const end = beyond === -1 ? first : beyond;
    if (end === -1) return [...parts, text.slice(at)];
    parts.push(text.slice(at, start), text.slice(start + open.length, end));
    at = end + close.length;
  }
}

/** The first `close` that is not within quotes; -1 if there is none. */
function indexOutsideQuotes(text: string, from: number, close: string, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith(close, at)) return at;
    if (text[at] !== quote) continue;
    at = text.indexOf(quote, at + 1);
    if (at === -1) return -1;
  }
  return -1;
}

/** The expression, if the text is nothing else. */
export function onlyExpression(text: string, marks: Marks): string | undefined {
  const [before = '', code, after = '', ...more] = partsOf(text, marks);
  return more.length === 0 && `${before}${after}`.trim() === '' ? code : undefined;
}

/** Replaces expressions in a title, since their values are unknown. */
export const withoutExpressions = (text: string, marks: Marks): string =>
  partsOf(text, marks)
    .map((part, i) => (i % 2 === 0 ? part : '…'))
    .join('');
