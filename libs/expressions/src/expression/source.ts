/** Parses and compiles an expression's text once, for any number of evaluations. */
import type { Json } from '@baton/primitives';

import { CompileCache } from '../cache.ts';
import type { Edition } from '../edition.ts';
import { EvaluationError } from '../evaluationError.ts';
import { limits } from '../limits.ts';
import { patternSize } from '../pattern/patternSize.ts';
import { excerpt } from '../source/excerpt.ts';
import { compile, unbound } from './compile.ts';
import type { CompiledExpression } from './compiled.ts';
import { BudgetSpent, Evaluation, EvaluationFailed } from './evaluation.ts';
import type { EvaluationCost, Scope } from './expression.ts';
import { literalPattern } from './functions/encoding.ts';
import { literalRegex } from './functions/regex.ts';
import { type ExpressionNode, parse, SyntaxProblem } from './parse.ts';
import { type ReferenceReading, childrenOf, readingOf } from './references.ts';
import { isNone, toJsonValue, measureSize } from './result.ts';

export interface CompiledSource {
  readonly source: string;
  readonly node: ExpressionNode;
  readonly reading: ReferenceReading;
  readonly run: CompiledExpression;
  /** About how many instructions its literal regular expressions have. */
  readonly patternsSize: number;
  /** Operations, values and names in it. */
  readonly parts: number;
}

const cache = new CompileCache<string, CompiledSource>(1_024);

/** Throws `SyntaxProblem`. */
export function compileSource(source: string): CompiledSource {
  return cache.get(source, () => {
    const node = parse(source);
    const patternsSize = patternsIn(node).reduce((sum, one) => sum + patternSize(one), 0);
    if (patternsSize > limits.expression.patternSize) {
      const message = 'The regular expressions in this expression are together too large.';
      throw new SyntaxProblem('expression-too-large', message, [node.start, node.end]);
    }
    return { source, node, patternsSize, parts: partsIn(node), reading: readingOf(node), run: compile(node, unbound) };
  });
}

const partsIn = (node: ExpressionNode): number => childrenOf(node).reduce((sum, child) => sum + partsIn(child), 1);

const patternsIn = (node: ExpressionNode): string[] => {
  const name = node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined;
  const isRegex = node.op === 'rcall' && node.args[1].op === 'id' && node.args[1].args === 'regex';
  const matched = name === 'matches' ? literalPattern(node) : undefined;
  const own = isRegex ? literalRegex(node) : matched;
  return [...(own === undefined ? [] : [own]), ...childrenOf(node).flatMap(patternsIn)];
};

export const readsNothing = ({ reading }: CompiledSource): boolean => reading.names.size === 0;

/** The value as JSON, inside an evaluation that may hold others. Throws `EvaluationError`. */
export const evaluateIn = (e: Evaluation, compiled: CompiledSource, pointer: string): Json =>
  evaluateOptional(e, compiled, pointer) ?? null;

/** The same; undefined if the result is none. Throws `EvaluationError`. */
export function evaluateOptional(
  e: Evaluation,
  { source, node, run }: CompiledSource,
  pointer: string,
): Json | undefined {
  try {
    const value = run(e);
    if (isNone(value)) return undefined;
    const json = toJsonValue(e, value, node);
    if (typeof value === 'object' && value !== null && e.isMade(value)) measureSize(e, json, limits.value.resultBytes);
    return json;
  } catch (error) {
    throw explained(error, source, pointer);
  }
}

/** Adds to `cost` what the evaluation cost. Throws `EvaluationError`. */
export function evaluate(
  compiled: CompiledSource,
  scope: Scope,
  pointer: string,
  edition?: Edition,
  cost?: EvaluationCost,
): Json {
  const e = new Evaluation(scope, undefined, edition);
  try {
    return evaluateIn(e, compiled, pointer);
  } finally {
    if (cost !== undefined) cost.units += limits.expression.cost - Math.max(0, e.left);
  }
}

/** The error to throw: names the expression if the author can correct the cause, else the error itself. */
export function explained(error: unknown, source: string, pointer: string): unknown {
  if (error instanceof EvaluationFailed) {
    const { start, end } = error.node;
    const part = source.slice(start, end);
    const whole = source.trim();
    const character = start + 1 - (source.length - source.trimStart().length);
    const place = part === whole ? '' : ` (character ${character} of \`${excerpt(whole)}\`)`;
    const said = error.say();
    const message = `\`${excerpt(part)}\`: ${said}${said.endsWith('?') ? place : `${place}.`}`;
    return new EvaluationError('expression-failed', message, pointer, { hint: error.hint });
  }
  // A RangeError reports a limit of V8: the stack, or the length of a text.
  const isSpent = error instanceof BudgetSpent || error instanceof RangeError;
  if (!isSpent) return error;
  const reason = error instanceof BudgetSpent ? error.message : 'it goes too deep';
  const message = `\`${excerpt(source)}\` was given up: ${reason}.`;
  return new EvaluationError('expression-budget', message, pointer, { cause: error });
}
