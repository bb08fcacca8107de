/** Makes untrusted text fit for one line of a terminal. */
import { cleanText, wrapWords } from '@baton/primitives';
import stringWidth from 'string-width';

/** The most characters of a text on one line. */
const lineCharactersMax = 2_000;

/** Removes control characters; turns line ends and tabs into spaces. */
export function oneLine(text: string): string {
  return cleanText(text, lineCharactersMax).replace(/\s+/g, ' ').trim();
}

export const widthOf = (text: string): number => stringWidth(text);

const graphemes = new Intl.Segmenter();

/** Shortens a text to `width` cells, with an ellipsis. Plain text only. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return '';
  // No grapheme is narrower than a cell for more than a few code units.
  const head = text.length > width * 16 ? text.slice(0, width * 16) : text;
  if (head === text && widthOf(text) <= width) return text;
  let cut = '';
  let cells = 0;
  for (const { segment } of graphemes.segment(head)) {
    cells += widthOf(segment);
    if (cells > width - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

/** Lines of at most `width` cells, broken at spaces; a longer word, such as a path, stays whole. */
export const wrap = (text: string, width: number): string[] => wrapWords(text, width, widthOf);

/** Padded on the right to `width` cells. */
export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The name of a key, which is written with its id in brackets. */
export const keyNameOf = (by: string): string => by.replace(/ \([^()]+\)$/, '');
