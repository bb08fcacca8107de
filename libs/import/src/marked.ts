/** Texts with expressions between marks: `Hello {{ $json.name }}`. */

export interface Marks {
  readonly open: string;
  readonly close: string;
}

export const n8nMarks: Marks = { open: '{{', close: '}}' };
export const githubMarks: Marks = { open: '${{', close: '}}' };

/**
 * Texts and expressions in turn; the first and the last are texts. In one pass: a regular expression would read on to
 * the end of the text from every mark that is not closed.
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

/** The expression where there is nothing but one. */
export function onlyExpression(text: string, marks: Marks): string | undefined {
  const [before = '', code, after = '', ...more] = partsOf(text, marks);
  return more.length === 0 && `${before}${after}`.trim() === '' ? code : undefined;
}

/** For a title: what an expression gives is not known. */
export const withoutExpressions = (text: string, marks: Marks): string =>
  partsOf(text, marks)
    .map((part, i) => (i % 2 === 0 ? part : '…'))
    .join('');
