/** Quotes the author's text for messages: one line, at most 80 characters, no terminal control characters. */

const excerptMax = 80;

/** Control characters, line and paragraph separators, bidirectional overrides, zero-width and tag characters. */
const unprintable =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

export function printable(text: string): string {
  return text.toWellFormed().replace(unprintable, (one) => (one === '\n' || one === '\t' ? ' ' : '\ufffd'));
}

/** Cuts to `max` code points; ends with an ellipsis if something is missing. */
export function excerpt(text: string, max = excerptMax): string {
  const head = Array.from(text.slice(0, 2 * max + 2));
  const isWhole = head.length <= max && text.length <= 2 * max + 2;
  return printable(isWhole ? text : `${head.slice(0, max - 1).join('')}…`);
}

export const quoted = (text: string): string => `"${excerpt(text, excerptMax - 2)}"`;
