import type { FindingCode } from './findingCodes.ts';
import type { Span } from './source/source.ts';

/**
 * A mistake before its line and column are known: the place is a JSON pointer.
 * `Document.findings` turns problems into findings with lines, columns and frames.
 */
export interface Problem {
  readonly code: FindingCode;
  readonly pointer: string;
  /** Which side of `key: value` is meant; the value where absent. */
  readonly at?: 'key' | 'value';
  /** Characters of the text that stands at the pointer: an expression, or a part of one. */
  readonly within?: Span;
  /** The place itself, where it is known: the syntax could not be read, so there is nothing to point to. */
  readonly span?: Span;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  readonly hint?: string | undefined;
  /** The key that was meant in place of the one at the pointer, where only one can be. */
  readonly meant?: string | undefined;
}

/** Where checking puts what it finds. */
export type ProblemReporter = (problem: Problem) => void;
