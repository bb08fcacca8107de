/**
 * Finds the expressions that depend on a part of a tool's answer of which the new output schema says less than the old
 * one: they read it, test whether it is there, or use a value that it is in.
 */
import {
  type ExpressionNode,
  SyntaxProblem,
  type Type,
  binding,
  childrenOf,
  compileSource,
  excerpt,
  infer,
  types,
} from '@baton/expressions';

import type { ExpressionSite, SeenExpression } from '../check/checkRun.ts';
import { namesAt } from '../check/expressions.ts';
import type { Doubt } from './changedTool.ts';

/** Undefined where the expression depends on nothing of the kind. */
export function changedRead(site: ExpressionSite, { source, pointer, offset }: SeenExpression): Doubt | undefined {
  const root = parsed(source);
  const known = namesAt(site);
  const within = [offset, offset + source.length] as const;
  if (root === undefined)
    return { pointer, within, message: 'This release of Baton does not read the expression any more.' };
  if (![...known.names.values()].some(types.holdsChanged)) return undefined;
  const noted: TypedNode[] = [];
  infer(
    {
      ...known,
      guarded: new Set(),
      complain: () => undefined,
      note: (node, type) => noted.push({ node, type }),
    },
    root,
  );
  const isForEach = site.checking.index.all.some((step) => `${step.pointer}/forEach` === pointer);
  const { owners, lists } = passedOn(noted, isForEach ? root : undefined);
  const read =
    noted.find(({ node, type }) => {
      if (!types.holdsChanged(type)) return false;
      const isInside = owners.has(node) || (lists.has(node) && isList(type));
      return !isInside || isWhollyChanged(type);
    })?.node ?? unnoted(root, noted);
  if (read === undefined) return undefined;
  const { start, end } = longest(read, noted);
  const message = `Nothing proves that \`${excerpt(source.slice(start, end))}\` is what it was.`;
  return { pointer, within: [offset + start, offset + end], message };
}

/** The access as it is written: to what is inside, too. */
function longest(node: ExpressionNode, noted: readonly TypedNode[]): ExpressionNode {
  const further = noted.find(({ node: { op, args } }) => accesses.has(op) && (args as readonly unknown[])[0] === node);
  return further === undefined ? node : longest(further.node, noted);
}

const accesses: ReadonlySet<string> = new Set(['.', '.?', '[]', '[?]']);

interface TypedNode {
  readonly node: ExpressionNode;
  readonly type: Type;
}

function parsed(source: string): ExpressionNode | undefined {
  try {
    return compileSource(source).node;
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

/** Parts of which only members or items count: what is read of them is a part of its own. */
function passedOn(
  noted: readonly TypedNode[],
  list: ExpressionNode | undefined,
): { readonly owners: ReadonlySet<ExpressionNode>; readonly lists: ReadonlySet<ExpressionNode> } {
  const owners = new Set<ExpressionNode>();
  const lists = new Set(list === undefined ? [] : [list]);
  for (const { node } of noted) {
    if (node.op === '.' || node.op === '.?') owners.add(node.args[0]);
    if (node.op === '[]' || node.op === '[?]') {
      const [from, key] = node.args;
      (key.op === 'value' && typeof key.args === 'string' ? owners : lists).add(from);
    }
    if (node.op !== 'rcall') continue;
    const [method, receiver, [first, body]] = node.args;
    if (Object.hasOwn(binding, method) && first?.op === 'id' && body !== undefined) lists.add(receiver);
  }
  return { owners, lists };
}

const isWhollyChanged = (type: Type): boolean =>
  types.alternatives(type).some((one) => {
    if (one.kind === 'optional') return isWhollyChanged(one.of);
    return one.kind === 'any' && one.isChanged === true;
  });

/** Members of a map can be counted and compared by the expression that goes through them. */
const isList = (type: Type): boolean =>
  types
    .alternatives(type)
    .every((one) => (one.kind === 'optional' ? isList(one.of) : ['list', 'null'].includes(one.kind)));

/** An access of which inference says nothing: it may read anything. */
function unnoted(root: ExpressionNode, noted: readonly TypedNode[]): ExpressionNode | undefined {
  if (accesses.has(root.op) && !noted.some(({ node }) => node.start === root.start && node.end === root.end))
    return root;
  for (const child of childrenOf(root)) {
    const found = unnoted(child, noted);
    if (found !== undefined) return found;
  }
  return undefined;
}
