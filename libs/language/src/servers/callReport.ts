/** The result of a check for each call, and for each reference to a call's result. */
import type { FitVerdict } from '../fit/verdict.ts';
import type { DecidedEffect } from '../plan.ts';

export interface CallPlace {
  /** JSON pointer. */
  readonly path: string;
  /** 1-based, in code points. */
  readonly line: number;
  readonly column: number;
}

export interface CallNote {
  readonly pointer: string;
  readonly verb: 'tool' | 'prompt' | 'resource' | 'workflow';
  /** `github/create_issue`; of a resource, `server uri`. */
  readonly target: string;
  /** For a tool: the stronger of what the step and what the server says, and who decided it. */
  readonly effect?: DecidedEffect;
  /** Whether the tool, prompt, resource or workflow exists. */
  readonly exists: FitVerdict;
  readonly arguments: FitVerdict;
  /** A sentence: why something is only assumed. */
  readonly reason?: string;
}

export interface ReferenceNote {
  readonly pointer: string;
  readonly within: readonly [number, number];
  /** `steps.scan` */
  readonly to: string;
  readonly verdict: FitVerdict;
}

type CallReport = Omit<CallNote, 'pointer'> & CallPlace;
type ReferenceReport = Pick<ReferenceNote, 'to' | 'verdict'> & CallPlace;

export interface CheckReport {
  readonly calls: readonly CallReport[];
  /** References to results of calls. */
  readonly references: readonly ReferenceReport[];
}
