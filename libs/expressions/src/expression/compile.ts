/** Compiles a syntax tree into a closure. Each evaluated node costs one; work on values costs more. */
import { quoted } from '../source/excerpt.ts';
import { access, accessOptional, isStepOutput, outputOrNone } from './access.ts';
import { compileCall, compileMethod } from './call.ts';
import { type BoundNames, type CompiledExpression, truth } from './compiled.ts';
import { describeValue } from './describeValue.ts';
import { type Evaluation, EvaluationFailed } from './evaluation.ts';
import { typeNames } from './functions/conversions.ts';
import { calculate, compare, equals, isIn } from './operators.ts';
import { type ExpressionNode, SyntaxProblem } from './parse.ts';
import { type Value, type ValueMap, isMap, KindValue } from './value.ts';

export const unbound: BoundNames = { slots: new Map(), count: 0, compile };

/** Throws `SyntaxProblem` for CEL that this language does not support. */
export function compile(node: ExpressionNode, bound: BoundNames): CompiledExpression {
  switch (node.op) {
    case 'value':
      return literal(node);
    case 'id':
      return name(node, node.args, bound);
    case '.':
    case '.?':
      return field(node, node.args[1], compile(node.args[0], bound), isStepOutput(node, bound.slots));
    case '[]':
    case '[?]':
      return index(node, compile(node.args[0], bound), compile(node.args[1], bound), isStepOutput(node, bound.slots));
    case 'call':
      return compileCall(node, node.args[0], node.args[1], bound);
    case 'rcall':
      return compileMethod(node, node.args, bound);
    case 'list':
      return list(node.args.map((one) => compile(one, bound)));
    case 'map':
      return map(
        node,
        node.args.map(([key, value]) => [compile(key, bound), compile(value, bound)] as const),
      );
    case '?:':
      return ternary(
        node,
        ...(node.args.map((one) => compile(one, bound)) as [
          CompiledExpression,
          CompiledExpression,
          CompiledExpression,
        ]),
      );
    case '||':
    case '&&':
      return logical(node, node.op === '||', compile(node.args[0], bound), compile(node.args[1], bound));
    case '!_':
      return not(node, compile(node.args, bound));
    case '-_':
      return minus(node, compile(node.args, bound));
    default:
      return binary(node, node.op, compile(node.args[0], bound), compile(node.args[1], bound));
  }
}

function literal(node: Extract<ExpressionNode, { op: 'value' }>): CompiledExpression {
  const value = node.args;
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    const message = 'Unsigned integers are not part of this language.';
    throw new SyntaxProblem('expression-syntax', message, [node.start, node.end], 'leave out the `u`');
  }
  return (e) => {
    e.charge(1);
    return value;
  };
}

/** In `finally`, possibly nothing failed. */
const mayBeAbsent = new Set(['error']);

function name(node: ExpressionNode, id: string, { slots }: BoundNames): CompiledExpression {
  const slot = slots.get(id);
  if (slot !== undefined) {
    return (e) => {
      e.charge(1);
      return e.locals[slot] ?? null;
    };
  }
  const nullIfAbsent = mayBeAbsent.has(id) ? null : undefined;
  const absent = typeNames.includes(id) ? new KindValue(id) : nullIfAbsent;
  return (e) => {
    e.charge(1);
    const value = Object.hasOwn(e.scope, id) ? (e.scope[id] as Value | undefined) : absent;
    return value === undefined ? e.fail(node, () => `there is no ${quoted(id)} here`) : value;
  };
}

function field(node: ExpressionNode, key: string, from: CompiledExpression, isOutput: boolean): CompiledExpression {
  if (node.op === '.?') {
    return (e) => {
      e.charge(1);
      const found = accessOptional(from(e), key);
      return isOutput ? outputOrNone(e, found) : found;
    };
  }
  return (e) => {
    e.charge(1);
    const value = from(e);
    // The fast path of most accesses.
    if (isMap(value) && Object.hasOwn(value, key)) return value[key] ?? null;
    return access(e, node, value, key);
  };
}

function index(
  node: ExpressionNode,
  from: CompiledExpression,
  key: CompiledExpression,
  isOutput: boolean,
): CompiledExpression {
  if (node.op === '[?]') {
    return (e) => {
      e.charge(1);
      const found = accessOptional(from(e), key(e));
      return isOutput ? outputOrNone(e, found) : found;
    };
  }
  return (e) => {
    e.charge(1);
    return access(e, node, from(e), key(e));
  };
}

function list(items: readonly CompiledExpression[]): CompiledExpression {
  return (e) => {
    e.charge(1 + items.length);
    return e.list(items.map((item) => item(e)));
  };
}

const forbidden = new Set(['__proto__', 'prototype', 'constructor']);

function map(
  node: ExpressionNode,
  entries: readonly (readonly [CompiledExpression, CompiledExpression])[],
): CompiledExpression {
  return (e) => {
    e.charge(2 + 2 * entries.length);
    const made: Record<string, Value> = {};
    for (const [keyOf, valueOf] of entries) {
      const key = keyOf(e);
      if (typeof key !== 'string') return e.fail(node, () => `${describeValue(key)} is no key; texts are`);
      if (forbidden.has(key) || Object.hasOwn(made, key)) {
        return e.fail(
          node,
          () => `the key ${quoted(key)} ${forbidden.has(key) ? 'is not allowed' : 'stands there twice'}`,
        );
      }
      made[key] = valueOf(e);
    }
    return e.map(made satisfies ValueMap);
  };
}

function ternary(
  node: ExpressionNode,
  condition: CompiledExpression,
  yes: CompiledExpression,
  no: CompiledExpression,
): CompiledExpression {
  return (e) => {
    e.charge(1);
    return truth(e, node, condition(e)) ? yes(e) : no(e);
  };
}

/** Either side may decide the result; an error of the other side then does not matter. */
function logical(
  node: ExpressionNode,
  settling: boolean,
  left: CompiledExpression,
  right: CompiledExpression,
): CompiledExpression {
  return (e) => {
    e.charge(1);
    let failure: EvaluationFailed | undefined;
    try {
      if (truth(e, node, left(e)) === settling) return settling;
    } catch (error) {
      if (!(error instanceof EvaluationFailed)) throw error;
      failure = error;
    }
    if (truth(e, node, right(e)) === settling) return settling;
    if (failure !== undefined) throw failure;
    return !settling;
  };
}

function not(node: ExpressionNode, operand: CompiledExpression): CompiledExpression {
  return (e) => {
    e.charge(1);
    return !truth(e, node, operand(e));
  };
}

function minus(node: ExpressionNode, operand: CompiledExpression): CompiledExpression {
  return (e) => {
    e.charge(1);
    const value = operand(e);
    if (typeof value === 'bigint') return calculate(e, node, '-', 0n, value);
    if (typeof value === 'number') return -value;
    return e.fail(node, () => `\`-\` takes a number, and here is ${describeValue(value)}`);
  };
}

type BinaryOperator = '==' | '!=' | 'in' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=';

function binary(
  node: ExpressionNode,
  op: BinaryOperator,
  left: CompiledExpression,
  right: CompiledExpression,
): CompiledExpression {
  const apply = (e: Evaluation, a: Value, b: Value): Value => {
    switch (op) {
      case '==':
        return equals(e, a, b);
      case '!=':
        return !equals(e, a, b);
      case 'in':
        return isIn(e, node, a, b);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return compare(e, node, op, a, b);
      default:
        return calculate(e, node, op, a, b);
    }
  };
  return (e) => {
    e.charge(1);
    return apply(e, left(e), right(e));
  };
}
