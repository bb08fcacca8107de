/** Changes to a text. */
import type { Span } from '@baton/expressions';

export interface Edit {
  /** UTF-16 offsets of the replaced text. */
  readonly span: Span;
  readonly text: string;
}

/** Applies all edits; of two that overlap, only the first. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let from = 0;
  const parts: string[] = [];
  for (const { span, text: written } of edits.toSorted((a, b) => a.span[0] - b.span[0])) {
    if (span[0] < from) continue;
    parts.push(text.slice(from, span[0]), written);
    from = span[1];
  }
  return parts.join('') + text.slice(from);
}
