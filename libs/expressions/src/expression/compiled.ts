/** The context and the result of compiling a node. */
import { describeValue } from './describeValue.ts';
import type { Evaluation } from './evaluation.ts';
import type { ExpressionNode } from './parse.ts';
import type { Value } from './value.ts';

export type CompiledExpression = (e: Evaluation) => Value;

/** Names that `map`, `all` and similar forms bind around a node, with the slots of their values. */
export interface BoundNames {
  readonly slots: ReadonlyMap<string, number>;
  readonly count: number;
  /** Compiles a node inside. */
  readonly compile: (node: ExpressionNode, bound: BoundNames) => CompiledExpression;
}

export const bind = ({ slots, count, compile }: BoundNames, name: string): BoundNames => ({
  slots: new Map([...slots, [name, count]]),
  count: count + 1,
  compile,
});

/** The boolean itself; no other value counts as one. */
export function truth(e: Evaluation, node: ExpressionNode, value: Value): boolean {
  if (typeof value === 'boolean') return value;
  return e.fail(node, () => `true or false is needed, and here is ${describeValue(value)}`);
}
