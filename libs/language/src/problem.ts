import type { Span } from '@baton/expressions';

import type { FindingCode } from './findingCodes.ts';

/**
 * A mistake before its line and column are known: the place is a JSON pointer.
 * `Document.findings` turns problems into findings with lines, columns and frames.
 */
export interface Problem {
  readonly code: FindingCode;
  readonly pointer: string;
  /** Which side of `key: value` is meant; the value where absent. */
  readonly at?: 'key' | 'value';
  /** A range of the text at the pointer: an expression, or a part of one. */
  readonly within?: Span;
  /** The pointer of another place that has to do with it; the message ends with that place's line and column. */
  readonly other?: string | undefined;
  /** The place itself, for a syntax error, which has no pointer. */
  readonly span?: Span;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  readonly hint?: string | undefined;
  /** The key that was meant in place of the one at the pointer, if there is only one candidate. */
  readonly meant?: string | undefined;
}

/** Receives the problems that a check finds. */
export type ProblemReporter = (problem: Problem) => void;
