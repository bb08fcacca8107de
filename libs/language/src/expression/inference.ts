/** What the inference of a type takes along, from a node to the nodes inside it. */
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';

type TypeComplaint =
  | 'unknown-name'
  | 'unknown-field'
  | 'expression-type'
  /** Doubts, where the others are certain. */
  | 'may-be-missing'
  | 'never-equal'
  | 'undeclared-field';

interface TypeDetail {
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  readonly hint?: string | undefined;
}

/** What can be seen at a place of an expression. */
export interface InferenceScope {
  readonly names: ReadonlyMap<string, Type>;
  /** Names that are known and have no business here. */
  readonly unlisted: ReadonlySet<string>;
  /** Accesses that `has(…)` was asked about: they are known to be there. */
  readonly guarded: ReadonlySet<string>;
  readonly complain: (code: TypeComplaint, node: ExpressionNode, message: string, detail?: TypeDetail) => void;
  /** Told of each part, innermost first, with what is in scope there: what an editor asks about. */
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
