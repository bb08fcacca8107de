import {
  accessText,
  type Guards,
  presenceTestsIn,
  wholeGuard,
  type ExpressionNode,
  SyntaxProblem,
  compileSource,
} from '@baton/expressions';

import type { CheckScope } from './scope.ts';

/** The accesses that a step's `if` tests with `has(…)`: they exist when the step runs. */
export function guardsOf(condition: string | boolean | undefined): ReadonlySet<string> {
  if (typeof condition !== 'string') return new Set();
  try {
    return new Set(presenceTestsIn(compileSource(condition).node));
  } catch (error) {
    if (error instanceof SyntaxProblem) return new Set();
    throw error;
  }
}

/** What has to hold together for the condition to be true, as comparable texts. */
export function conjunctsOf(condition: string | boolean | undefined): ReadonlySet<string> {
  if (typeof condition !== 'string') return new Set();
  try {
    return new Set(conjuncts(compileSource(condition).node).map(accessText));
  } catch (error) {
    if (error instanceof SyntaxProblem) return new Set();
    throw error;
  }
}

/** The scope where a condition is true: steps that only such a condition skips have run. */
export function withRanSteps(scope: CheckScope, condition: string | boolean | undefined): CheckScope {
  const held = conjunctsOf(condition);
  if (held.size === 0 || scope.steps === undefined) return scope;
  const ran = [...scope.steps].flatMap(([id, { onlyIf }]) => (onlyIf?.isSubsetOf(held) === true ? [id] : []));
  if (ran.length === 0) return scope;
  const guards: Guards = new Set(ran.flatMap((id) => [`steps.${id}`, `steps["${id}"]`].map(wholeGuard)));
  return { ...scope, ran: scope.ran === undefined ? guards : scope.ran.union(guards) };
}

/** Ids of steps that have run if the condition is true; `all` if nothing can have failed. */
export function provenBy(condition: string | boolean | undefined): ReadonlySet<string> | 'all' {
  if (typeof condition !== 'string') return new Set();
  try {
    const { node, reading } = compileSource(condition);
    const sides = conjuncts(node);
    if (sides.some(isNothingFailed)) return 'all';
    const asked = sides.filter(isPresence);
    const within = (member: ExpressionNode): boolean =>
      asked.some(({ start, end }) => member.start >= start && member.end <= end);
    return new Set(
      reading.members.flatMap(({ of, name, node: member }) =>
        of === 'steps' && name !== undefined && within(member) ? [name] : [],
      ),
    );
  } catch (error) {
    if (error instanceof SyntaxProblem) return new Set();
    throw error;
  }
}

const conjuncts = (node: ExpressionNode): readonly ExpressionNode[] =>
  node.op === '&&' ? node.args.flatMap(conjuncts) : [node];

/** `has(steps.a)`, `has(steps.?a.output)`, `steps.?a.?output.hasValue()`, `steps.?a.?output.orValue(null) != null`. */
const isPresence = (node: ExpressionNode): boolean =>
  (node.op === 'call' && node.args[0] === 'has') ||
  (node.op === 'rcall' && node.args[0] === 'hasValue') ||
  (node.op === '!=' && node.args.some(isOrNull) && node.args.some(isNull));

const isOrNull = (node: ExpressionNode): boolean =>
  node.op === 'rcall' && node.args[0] === 'orValue' && node.args[2].some(isNull);

/** `error == null`: in `finally`, all steps ran. */
const isNothingFailed = (node: ExpressionNode): boolean =>
  node.op === '==' && node.args.some((one) => one.op === 'id' && one.args === 'error') && node.args.some(isNull);

const isNull = (node: ExpressionNode): boolean => node.op === 'value' && node.args === null;
