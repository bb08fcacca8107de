/** What the page asks of the checker's thread. */
import type { CheckOptions, Completions, Diagnostic, Hover, WorkflowGraph } from '@baton/language/service';

export interface CheckerAnswers {
  readonly graph: WorkflowGraph;
  readonly check: { readonly diagnostics: readonly Diagnostic[]; readonly graph: WorkflowGraph };
  readonly complete: Completions;
  readonly hover: Hover | undefined;
}

export interface CheckerCall {
  readonly id: number;
  readonly method: keyof CheckerAnswers;
  readonly text: string;
  /** UTF-16. */
  readonly offset?: number;
  readonly known?: CheckOptions;
  readonly nowMs?: number;
}
