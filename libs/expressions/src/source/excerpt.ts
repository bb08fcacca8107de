/** Quotes the author's text for messages: one line, at most 80 characters, and nothing that a person does not see. */
import { withInvisibleAs } from '@baton/primitives';

const excerptMax = 80;

/** In one line, with a mark in place of each character that is not seen. */
export const printable = (text: string): string => withInvisibleAs(text, () => '\ufffd').replaceAll(/[\n\t]/g, ' ');

/** Cuts to `max` code points; ends with an ellipsis if something is missing. */
export function excerpt(text: string, max = excerptMax): string {
  const head = Array.from(text.slice(0, 2 * max + 2));
  const isWhole = head.length <= max && text.length <= 2 * max + 2;
  return printable(isWhole ? text : `${head.slice(0, max - 1).join('')}…`);
}

export const quoted = (text: string): string => `"${excerpt(text, excerptMax - 2)}"`;
