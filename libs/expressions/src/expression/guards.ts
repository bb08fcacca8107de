/**
 * Tests in an expression that show that a value is there and is not null: `a.b != null`, `has(a.b.c)`,
 * `steps.a.status == "succeeded"`. Which way such a test decides is not looked at: an author who tests a value knows that
 * it may be missing.
 */
import { isStepOutput } from './access.ts';
import { accessText } from './accessText.ts';
import type { ExpressionNode } from './parse.ts';
import { childrenOf } from './references.ts';

/** Accesses, as `accessText` writes them; `steps.a.*`: all of `steps.a`. */
export type Guards = ReadonlySet<string>;

/** The guard of everything that can be read of a value. */
export const wholeGuard = (access: string): string => `${access}.*`;

/** The accesses that `has(…)` tests. */
export function presenceTestsIn(root: ExpressionNode): string[] {
  const [target] = root.op === 'call' && root.args[0] === 'has' ? root.args[1] : [];
  return [...(target === undefined ? [] : [accessText(target)]), ...childrenOf(root).flatMap(presenceTestsIn)];
}

/** The accesses that are compared with null, or tested in another way that null does not pass. */
export const nullTestsIn = (root: ExpressionNode): string[] => [
  ...nullTests(root),
  ...childrenOf(root).flatMap(nullTestsIn),
];

function nullTests(node: ExpressionNode): string[] {
  if (node.op === '==' || node.op === '!=' || node.op === 'in') return comparedIn(node.args);
  if (node.op === 'rcall') return node.args[0] === 'hasValue' ? shownByPresence(node.args[1]) : [];
  const [name, [target]] = node.op === 'call' ? node.args : ['', []];
  if (target === undefined) return [];
  if (name === 'has') return isField(target, 'error') ? [ownerGuard(target)] : shownByPresence(target);
  return name === 'type' ? [accessText(target)] : [];
}

/** A key with null in it is there: only what it is in is not null. The output of a step is null where there is none. */
function shownByPresence(node: ExpressionNode): string[] {
  const isAccess = node.op === '.' || node.op === '.?' || node.op === '[]' || node.op === '[?]';
  return [accessText(isAccess && !isStepOutput(node, new Set()) ? node.args[0] : node)];
}

function comparedIn(sides: readonly [ExpressionNode, ExpressionNode]): string[] {
  const isWithNull = sides.some(isNull);
  return sides.flatMap((side) => {
    if (isField(side, 'status')) return [ownerGuard(side)];
    return isWithNull && !isNull(side) ? [accessText(side)] : [];
  });
}

const isNull = (node: ExpressionNode): boolean => node.op === 'value' && node.args === null;

const isField = (node: ExpressionNode, key: string): boolean =>
  (node.op === '.' || node.op === '.?') && node.args[1] === key;

/** Of the value whose field is accessed. */
const ownerGuard = (node: ExpressionNode): string =>
  wholeGuard(node.op === '.' || node.op === '.?' ? accessText(node.args[0]) : accessText(node));

/** Whether a test shows that the access finds something, or that something inside of it is found. */
export function isGuarded(guards: Guards, node: ExpressionNode): boolean {
  if (guards.size === 0) return false;
  const access = accessText(node);
  return (
    guards.has(access) ||
    ownersOf(access).some((one) => guards.has(wholeGuard(one))) ||
    guards.values().some((one) => one.startsWith(`${access}.`) || one.startsWith(`${access}[`))
  );
}

const ownersOf = (access: string): string[] => [...access.matchAll(/[.[]/g)].map(({ index }) => access.slice(0, index));
