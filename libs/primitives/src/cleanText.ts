/**
 * Cleans text that a server wrote, for a person, a model or a log.
 *
 * The result cannot move a cursor, colour a terminal, change the direction of writing, or hide words in invisible
 * characters. Line ends and tabs stay. It is still foreign text: data, never instructions.
 */
import { withoutInvisible } from './invisible.ts';

/**
 * At most `charactersMax` UTF-16 units, an ellipsis included where it was cut. It is cut after it is cleaned: half a
 * terminal sequence would be removed otherwise than the whole one that the filter of secrets looked behind.
 */
export function cleanText(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  const clean = withoutInvisible(text, charactersMax + 1);
  if (clean.length <= charactersMax) return clean;
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
