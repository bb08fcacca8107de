/**
 * Cleans text that a server wrote, for a person, a model or a log.
 *
 * The result cannot move a cursor, colour a terminal, change the direction of writing, or hide words in invisible
 * characters. Line ends and tabs stay. It is still foreign text: data, never instructions.
 */

/**
 * Control sequences of terminals (ECMA-48, 5.4 and 5.6): colours and cursors, and strings such as titles and links.
 * Each attempt stops at the next introducer, so that the time taken is linear; `util.stripVTControlCharacters` needs
 * half a minute for 200 KB of unfinished ones.
 */
const sequences = new RegExp(
  [
    String.raw`(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1B[\]PX^_]|[\x90\x98\x9D-\x9F])[^\x07\x1B\x80-\x9F]*(?:\x07|\x1B\\|\x9C)`,
    String.raw`\x1B[ -/]*[0-~]`,
  ].join('|'),
  'g',
);

/**
 * Control characters but newline and tab; format characters (bidi, zero-width, tags); lone surrogates; line and paragraph
 * separators; and what is drawn as nothing by default (fillers, joiners, variation selectors).
 */
const unseen = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text of JSON, with what `cleanText` takes out written as `\\uXXXX`: it means the same, and does nothing to a
 * terminal.
 */
export const escapedJson = (json: string): string =>
  json.replaceAll(unseen, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** At most `charactersMax` UTF-16 units, an ellipsis included where it was cut. */
export function cleanText(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  // Cuts roughly first, so that the rest need not be cleaned.
  const head = text.length > charactersMax * 2 ? text.slice(0, charactersMax * 2) : text;
  const clean = head.replaceAll('\r\n', '\n').replaceAll(sequences, '').replaceAll(unseen, '');
  if (clean.length <= charactersMax && head === text) return clean;
  return `${clean.slice(0, Math.max(0, charactersMax - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** At most `charactersMax` UTF-16 units: where it is longer, its middle is left out, for a path ends with what names it. */
export function withoutMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const kept = charactersMax - 1;
  const headEnd = Math.floor(kept / 3);
  const head = text.slice(0, headEnd).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}…${text.slice(headEnd - kept).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
