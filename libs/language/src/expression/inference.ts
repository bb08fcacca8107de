/** The context of type inference. */
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';

type TypeComplaint =
  | 'unknown-name'
  | 'unknown-field'
  | 'expression-type'
  /** Doubts; the others are certain. */
  | 'may-be-missing'
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
  /** Accesses that `has(…)` tested: they are known to exist. */
  readonly guarded: ReadonlySet<string>;
  /** Accesses that the file compares with null, as `accessText` writes them: they are read where they are not null. */
  readonly nullTested?: ReadonlySet<string>;
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
