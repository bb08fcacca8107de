/** What checking can say of each call, and of each place that reads what a call gave. */
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
  /** Of a tool: what repeating it would do, and who says so. */
  readonly effect?: DecidedEffect;
  /** Whether there is such a tool, prompt, resource or workflow. */
  readonly exists: FitVerdict;
  readonly arguments: FitVerdict;
  /** Why something is assumed: a sentence. */
  readonly reason?: string;
}

export interface ReferenceNote {
  readonly pointer: string;
  readonly within: readonly [number, number];
  /** `steps.scan` */
  readonly to: string;
  readonly verdict: FitVerdict;
}

export type CallReport = Omit<CallNote, 'pointer'> & CallPlace;
export type ReferenceReport = Pick<ReferenceNote, 'to' | 'verdict'> & CallPlace;

export interface CheckReport {
  readonly calls: readonly CallReport[];
  /** Where what a call gave is read. */
  readonly references: readonly ReferenceReport[];
}
