import type { ExpressionNode } from './parse.ts';

export const textOf = (node: ExpressionNode): string => node.input.slice(node.start, node.end);

/** The same for `a.b`, `a.?b` and `a.?b.orValue(null)`, which are null together. */
export const accessText = (node: ExpressionNode): string =>
  textOf(node)
    .replaceAll(/\s/g, '')
    .replaceAll('?', '')
    .replace(/\.orValue\(null\)$/, '');
