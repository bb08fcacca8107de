import type { Span } from '@baton/expressions';

/** A hover text and its place. */
export interface Hover {
  readonly span: Span;
  /** Paragraphs in Markdown; text of servers is quoted, never markup. */
  readonly paragraphs: readonly string[];
}

const textMax = 2_000;

/** Texts of a server are shown as plain text. */
export const plainText = (text: string): string => text.slice(0, textMax).replace(/[\\`*_{}[\]()#+\-!<>|~]/g, '\\$&');
