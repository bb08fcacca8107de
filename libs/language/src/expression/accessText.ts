/** The text of a part of an expression, and which parts an expression compares with null. */
import type { ExpressionNode } from './parse.ts';
import { childrenOf } from './references.ts';

export const textOf = (node: ExpressionNode): string => node.input.slice(node.start, node.end);

/** The same for `a.b`, `a.?b` and `a.?b.orValue(null)`, which are null together. */
export const accessText = (node: ExpressionNode): string =>
  textOf(node)
    .replaceAll(/\s/g, '')
    .replaceAll('?', '')
    .replace(/\.orValue\(null\)$/, '');

/** What the expression compares with null, as `accessText` writes it. */
export function nullTestsIn(root: ExpressionNode): string[] {
  const isTest = (root.op === '==' || root.op === '!=') && root.args.some(isNull);
  const tested = isTest ? root.args.filter((one) => !isNull(one)).map(accessText) : [];
  return [...tested, ...childrenOf(root).flatMap(nullTestsIn)];
}

const isNull = (node: ExpressionNode): boolean => node.op === 'value' && node.args === null;
