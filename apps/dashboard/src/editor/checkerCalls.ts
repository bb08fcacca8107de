import type { Completions, Fix, Hover, WorkflowGraph } from '@baton/editor-service';
import type { CheckOptions, Diagnostic, DecidedEffect, ResolvedDeclaration } from '@baton/language';
/** Messages between the page and the checker's thread. */

/** As `CheckOptions`, in a form that travels between threads. `effects` and `declarations` are by `server/tool`. */
export type KnownWorld = Pick<CheckOptions, 'servers' | 'secrets'> & {
  readonly effects?: Readonly<Record<string, DecidedEffect>>;
  readonly declarations?: Readonly<Record<string, ResolvedDeclaration>>;
};

export interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  readonly fixes: readonly Fix[];
  readonly graph: WorkflowGraph;
}

export interface CheckerAnswers {
  readonly graph: WorkflowGraph;
  readonly check: Findings;
  readonly complete: Completions;
  readonly hover: Hover | undefined;
  readonly format: string;
}

export interface CheckerCall {
  readonly id: number;
  readonly method: keyof CheckerAnswers;
  readonly text: string;
  /** Offset in the text, in UTF-16 code units. */
  readonly offset?: number;
  /** Absent: as in the previous call. Sent only when it changed, because it contains the schemas of all tools. */
  readonly known?: KnownWorld;
  readonly nowMs?: number;
}
