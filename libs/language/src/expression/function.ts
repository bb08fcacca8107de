/** What a function of the language is: how it is called, what it takes and gives, and what it does. */
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

/** One call under way; the arguments have the kinds that the parameters ask for. */
export interface FunctionCall {
  readonly e: Evaluation;
  readonly node: ExpressionNode;
  readonly args: readonly Value[];
}

/** Called as `name(a, b)` and, where it takes anything, as `a.name(b)`. */
export interface FunctionSpec {
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  /** Any number of arguments more, each as the last parameter. */
  readonly isVariadic?: true;
  /** The type of the result, from the types of the arguments. */
  readonly returns: Type | ((args: readonly Type[]) => Type);
  /** One sentence for the language guide. */
  readonly about: string;
  /** What is wrong with the arguments as they are written, where that can be seen. */
  readonly problem?: (node: ExpressionNode) => string | undefined;
  readonly run: (call: FunctionCall) => Value;
}

export const signatureOf = ({ name, parameters, isVariadic }: FunctionSpec): string =>
  `${name}(${parameters.map((one) => (one.isOptional ? `${one.name}?` : one.name)).join(', ')}${isVariadic ? ', …' : ''})`;
