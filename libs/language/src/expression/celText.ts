/** Expressions as text: how a program writes one. */

const identifier = /^[A-Za-z_]\w*$/;

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

export const literal = (value: string | number | boolean | null): string => JSON.stringify(value);

export const member = (of: string, key: string | number): string =>
  typeof key === 'number'
    ? `${of}[${key}]`
    : identifier.test(key) && !reserved.has(key)
      ? `${of}.${key}`
      : `${of}[${literal(key)}]`;

export const interpolated = (expression: string): string => `\${{ ${expression} }}`;

/** Whether the text would be read as a template. */
export const looksLikeTemplate = (text: string): boolean => text.includes('${{');

/** A text that came from outside, such that a workflow reads it as the same text. */
export const written = (text: string): string =>
  looksLikeTemplate(text)
    ? interpolated(
        literal(text)
          .replaceAll('{', String.raw`\u007b`)
          .replaceAll('}', String.raw`\u007d`),
      )
    : text;
