/** Describes a function of the language: its call forms, parameters and result, and its implementation. */
import type { Evaluation } from './evaluation.ts';
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';
import type { ValueKind, Value } from './value.ts';

interface FunctionParameter {
  readonly name: string;
  /** Absent: any. */
  readonly kinds?: readonly ValueKind[];
  readonly isOptional?: true;
}

/** One call; the arguments have the kinds of the parameters. */
export interface FunctionCall {
  readonly e: Evaluation;
  readonly node: ExpressionNode;
  readonly args: readonly Value[];
}

/** Called as `name(a, b)` and, if it has parameters, as `a.name(b)`. */
export interface FunctionSpec {
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  /** Accepts any number of further arguments, each like the last parameter. */
  readonly isVariadic?: true;
  /** The type of the result, from the types of the arguments. */
  readonly returns: Type | ((args: readonly Type[]) => Type);
  /** One sentence for the language guide. */
  readonly about: string;
  /** A mistake in the arguments that is visible without evaluating them. */
  readonly problem?: (node: ExpressionNode) => string | undefined;
  /** Its code, where it is not that of wrong arguments. */
  readonly problemCode?: 'invalid-pattern';
  readonly run: (call: FunctionCall) => Value;
}

export const signatureOf = ({ name, parameters, isVariadic }: FunctionSpec): string =>
  `${name}(${parameters.map((one) => (one.isOptional ? `${one.name}?` : one.name)).join(', ')}${isVariadic ? ', …' : ''})`;
