/** `default(a.b, c)`, also written `a.b.default(c)`: the value that is there and not null, or else the other. */
import type { ExpressionNode } from './parse.ts';

export interface DefaultForm {
  /** With each access optional: what is missing on the way is no failure. */
  readonly value: ExpressionNode;
  readonly other: ExpressionNode;
}

/** Undefined if the call is another one. */
export function defaultFormOf(node: ExpressionNode): DefaultForm | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  const [name] = node.args;
  const given = node.op === 'call' ? node.args[1] : [node.args[1], ...node.args[2]];
  const [value, other] = given;
  if (name !== 'default' || value === undefined || other === undefined || given.length !== 2) return undefined;
  return { value: optionally(value), other };
}

function optionally(node: ExpressionNode): ExpressionNode {
  if (node.op === '.' || node.op === '.?') return copied(node, '.?', [optionally(node.args[0]), node.args[1]]);
  if (node.op === '[]' || node.op === '[?]') return copied(node, '[?]', [optionally(node.args[0]), node.args[1]]);
  return node;
}

const copied = ({ input, start, end }: ExpressionNode, op: '.?' | '[?]', args: readonly unknown[]): ExpressionNode =>
  ({ op, args, input, start, end }) as unknown as ExpressionNode;
