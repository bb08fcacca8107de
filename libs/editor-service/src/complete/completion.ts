/** A text that can be inserted at the cursor. */
import type { Span } from '@baton/expressions';

export type CompletionKind =
  | 'key'
  | 'verb'
  | 'argument'
  | 'value'
  | 'tool'
  | 'prompt'
  | 'event'
  | 'server'
  | 'resource'
  | 'workflow'
  | 'secret'
  | 'code'
  | 'step'
  | 'name'
  | 'field'
  | 'function';

export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  /** In a few words: a type, an enum, a signature. */
  readonly detail?: string;
  /** Sentences. */
  readonly about?: string;
  readonly isRequired?: boolean;
  /**
   * The text that replaces `replace`. A snippet has `$1`, `${2:name}`, `$0` as LSP 3.17 defines them, and `\$` for a
   * `$`.
   */
  readonly insert: string;
  readonly isSnippet: boolean;
  /** UTF-16 offsets. */
  readonly replace: Span;
  /** The text that an editor matches the typed text with; absent: the label. */
  readonly filter?: string;
}

/** Completions in the order of display. */
export interface Completions {
  readonly items: readonly Completion[];
  /** More typing can find more completions. */
  readonly isPartial: boolean;
}
