import type { Span } from '../source/source.ts';

/** What is shown at a place. */
export interface Hover {
  readonly span: Span;
  /** Paragraphs in Markdown; text of servers is quoted, never markup. */
  readonly paragraphs: readonly string[];
}

const textMax = 2_000;

/** Of a server: whatever it writes, it is shown as the text that it is. */
export const plainText = (text: string): string => text.slice(0, textMax).replace(/[\\`*_{}[\]()#+\-!<>|~]/g, '\\$&');
