/** Splits texts with expressions between marks: `Hello {{ $json.name }}`. */

export interface Marks {
  readonly open: string;
  readonly close: string;
}

export const n8nMarks: Marks = { open: '{{', close: '}}' };
export const githubMarks: Marks = { open: '${{', close: '}}' };

/**
 * Returns texts and expressions alternately; the first and the last are texts. Takes linear time: a regular expression
 * would search to the end of the text from every unclosed mark.
 */
export function partsOf(text: string, { open, close }: Marks): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start === -1 ? -1 : text.indexOf(close, start + open.length);
    if (end === -1) return [...parts, text.slice(at)];
    parts.push(text.slice(at, start), text.slice(start + open.length, end));
    at = end + close.length;
  }
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
