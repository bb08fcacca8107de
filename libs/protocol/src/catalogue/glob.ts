/** Patterns of tool names: `*` matches any text, `?` one character, everything else itself. */

/** In time proportional to the product of both lengths, for any input. */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  /** Where the last `*` stood, and how much of the text it has been given. */
  let star = -1;
  let taken = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      t = ++taken;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}

/** Literal characters of a pattern: of two patterns that match, the one with more is more specific. */
export const literalLength = (pattern: string): number => pattern.replaceAll(/[*?]/g, '').length;
