/** JSON that is safe on a terminal: complete, and without characters that move the cursor. */

/** Control, format and separator characters; `JSON.stringify` escapes only the first 32 of them. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/** On one line, or indented by two. */
export function jsonText(value: unknown, shape: 'line' | 'indented' = 'indented'): string {
  const text = JSON.stringify(value ?? null, undefined, shape === 'line' ? 0 : 2);
  return text.replace(unsafe, (character) => (character === '\n' ? character : escaped(character)));
}
