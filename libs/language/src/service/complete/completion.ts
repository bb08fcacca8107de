/** One thing that can be written at the cursor. */
import type { Span } from '../../source/source.ts';

export type CompletionKind =
  | 'key'
  | 'verb'
  | 'argument'
  | 'value'
  | 'tool'
  | 'prompt'
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
   * What is written over `replace`. A snippet has `$1`, `${2:name}`, `$0` as LSP 3.17 defines them, and `\$` for a `$`.
   */
  readonly insert: string;
  readonly isSnippet: boolean;
  /** UTF-16 offsets. */
  readonly replace: Span;
  /** What an editor holds what was typed against; the label where absent. */
  readonly filter?: string;
}

/** A list in the order in which it is to be shown. */
export interface Completions {
  readonly items: readonly Completion[];
  /** More would be found when more is typed. */
  readonly isPartial: boolean;
}
