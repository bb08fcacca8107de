/** Writes expressions as text. */

const identifier = /^[A-Za-z_]\w*$/;

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

export const literal = (value: string | number | boolean | null): string => JSON.stringify(value);

export function member(of: string, key: string | number): string {
  if (typeof key === 'string' && identifier.test(key) && !reserved.has(key)) return `${of}.${key}`;
  return `${of}[${literal(key)}]`;
}

export const interpolated = (expression: string): string => `\${{ ${expression} }}`;

/** Whether a workflow would read the text as a template. */
const looksLikeTemplate = (text: string): boolean => text.includes('${{');

/** Escapes a text from outside, so that a workflow reads it as the same text. */
export const written = (text: string): string =>
  looksLikeTemplate(text)
    ? interpolated(
        literal(text)
          .replaceAll('{', String.raw`\u007b`)
          .replaceAll('}', String.raw`\u007d`),
      )
    : text;
