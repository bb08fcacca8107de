/** What a function of the language is: how it is called, what it takes and gives, and what it does. */
import type { Evaluation } from './evaluation.ts';
import type { Node } from './parse.ts';
import type { Type } from './type.ts';
import type { Kind, Value } from './value.ts';

interface Parameter {
  readonly name: string;
  /** Absent: any. */
  readonly kinds?: readonly Kind[];
  readonly isOptional?: true;
}

/** One call under way; the arguments have the kinds that the parameters ask for. */
export interface Call {
  readonly e: Evaluation;
  readonly node: Node;
  readonly args: readonly Value[];
}

/** Called as `name(a, b)` and, where it takes anything, as `a.name(b)`. */
export interface FunctionSpec {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Any number of arguments more, each as the last parameter. */
  readonly isVariadic?: true;
  /** The type of the result, from the types of the arguments. */
  readonly returns: Type | ((args: readonly Type[]) => Type);
  /** One sentence for the language guide. */
  readonly about: string;
  /** What is wrong with the arguments as they are written, where that can be seen. */
  readonly problem?: (node: Node) => string | undefined;
  readonly run: (call: Call) => Value;
}

export const signatureOf = ({ name, parameters, isVariadic }: FunctionSpec): string =>
  `${name}(${parameters.map((one) => (one.isOptional ? `${one.name}?` : one.name)).join(', ')}${isVariadic ? ', …' : ''})`;
