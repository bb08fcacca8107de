/** The context of type inference. */
import type { Guards } from './guards.ts';
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';

type TypeComplaint =
  | 'unknown-name'
  | 'unknown-field'
  | 'expression-type'
  /** Doubts; the others are certain. */
  | 'may-be-missing'
  | 'may-be-null'
  | 'never-equal'
  | 'undeclared-field';

interface TypeDetail {
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  readonly hint?: string | undefined;
}

/** What a part of an expression can read. */
export interface InferenceScope {
  readonly names: ReadonlyMap<string, Type>;
  /** Names that exist but are not valid here. */
  readonly unlisted: ReadonlySet<string>;
  /** Tests around the expression and in it. */
  readonly guarded: Guards;
  /** Accesses that the file tests, and that are therefore read where they are not null. */
  readonly nullTested?: Guards;
  readonly complain: (code: TypeComplaint, node: ExpressionNode, message: string, detail?: TypeDetail) => void;
  /** Called for each part, innermost first, with its scope; editors use it. */
  readonly note?: (node: ExpressionNode, type: Type, at: InferenceScope) => void;
}

export interface TypeInference extends InferenceScope {
  /** Infers the type of a node inside. */
  readonly infer: (at: TypeInference, node: ExpressionNode) => Type;
}

export const withName = (at: TypeInference, name: string, type: Type): TypeInference => ({
  ...at,
  names: new Map([...at.names, [name, type]]),
});

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
