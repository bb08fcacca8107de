/** Calls: functions, methods, and the forms that bind names. */
import { quoted } from '../source/excerpt.ts';
import { hasKey, isStepOutput, nullHint } from './access.ts';
import { type BoundNames, type CompiledExpression, bind, truth } from './compiled.ts';
import { describeValue } from './describeValue.ts';
import { type Evaluation, EvaluationFailed } from './evaluation.ts';
import { foreignHint, functionHint } from './foreignFunctions.ts';
import { compileForm, isForm } from './forms.ts';
import { type FunctionSpec, signatureOf } from './function.ts';
import { functions, macros, namespaces } from './functions.ts';
import { mathNames } from './functions/numbers.ts';
import { defaultFormOf } from './orDefault.ts';
import { type ExpressionNode, SyntaxProblem } from './parse.ts';
import { type Value, isList, isMap, kindOfValue, kindWords, Maybe, none } from './value.ts';

type MethodArguments = readonly [string, ExpressionNode, readonly ExpressionNode[]];

const misused = (
  node: ExpressionNode,
  code: 'expression-arguments' | 'unknown-function',
  message: string,
  hint?: string,
): never => {
  throw new SyntaxProblem(code, message, [node.start, node.end], hint);
};

export function compileCall(
  node: ExpressionNode,
  name: string,
  args: readonly ExpressionNode[],
  bound: BoundNames,
): CompiledExpression {
  if (name === 'has') return has(node, args, bound);
  if (name === 'default') return orDefault(node, bound);
  return compileFunction(node, name, args, bound);
}

export function compileMethod(
  node: ExpressionNode,
  [name, receiver, args]: MethodArguments,
  bound: BoundNames,
): CompiledExpression {
  const namespace = receiver.op === 'id' && !bound.slots.has(receiver.args) ? receiver.args : undefined;
  if (namespace === 'cel' && name === 'bind') return bindOnce(node, args, bound);
  if (namespace === 'optional' && (name === 'of' || name === 'none')) return makeOptional(node, name, args, bound);
  if (namespace === 'math' && mathNames.has(name)) return compileFunction(node, name, args, bound);
  const qualified = `${namespace}.${name}`;
  if (functions.has(qualified)) return compileFunction(node, qualified, args, bound);
  if (namespace !== undefined && Object.hasOwn(namespaces, namespace)) return unknown(node, qualified, qualified);
  if (name === 'default') return orDefault(node, bound);
  if (isForm(name)) return compileForm(node, name, receiver, args, bound) ?? unknown(node, name);
  const [first, second] = args;
  if (Object.hasOwn(comprehensions, name) && first !== undefined && second !== undefined) {
    return comprehension(node, name as Comprehension, receiver, args, bound);
  }
  if ((name === 'or' || name === 'orValue') && first !== undefined && args.length === 1) {
    return orElse(node, name, bound.compile(receiver, bound), bound.compile(first, bound));
  }
  return compileFunction(node, name, [receiver, ...args], bound, namespace === undefined ? name : qualified);
}

function compileFunction(
  node: ExpressionNode,
  name: string,
  args: readonly ExpressionNode[],
  bound: BoundNames,
  qualified = name,
): CompiledExpression {
  const spec = functions.get(name);
  if (spec === undefined) return unknown(node, name, qualified);
  const { parameters, isVariadic } = spec;
  const least = parameters.filter(({ isOptional }) => isOptional === undefined).length;
  if (args.length < least || (args.length > parameters.length && isVariadic === undefined)) {
    const given = `${args.length} argument${args.length === 1 ? '' : 's'}`;
    return misused(
      node,
      'expression-arguments',
      `\`${name}\` has ${given} here.`,
      foreignHint(qualified) ?? `it is called as ${signatureOf(spec)}`,
    );
  }
  const problem = spec.problem?.(node);
  if (problem !== undefined) {
    throw new SyntaxProblem(spec.problemCode ?? 'expression-arguments', `${capitalised(problem)}.`, [
      node.start,
      node.end,
    ]);
  }
  const runs = args.map((one) => bound.compile(one, bound));
  return (e) => {
    e.charge(1);
    const values = runs.map((run) => run(e));
    values.forEach((value, i) => demand(e, node, spec, i, value));
    return spec.run({ e, node, args: values });
  };
}

const unpredictable = new Set(
  ['now', 'today', 'date', 'time', 'utcnow', 'currenttime', 'currentdate', 'random', 'rand', 'randomint'].concat([
    'uuid',
    'uuidv4',
    'guid',
    'nanoid',
  ]),
);

const capitalised = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** `qualified`: with what stands before its point, if that may be a namespace of another language. */
function unknown(node: ExpressionNode, name: string, qualified = name): never {
  const macro = macros.get(name);
  if (macro !== undefined) {
    return misused(
      node,
      'expression-arguments',
      `\`${name}\` is not called like this.`,
      `it is called as ${macro.form}`,
    );
  }
  if (unpredictable.has(name.toLowerCase())) {
    const message = 'Expressions have no clock and no randomness: a run that is resumed must see the same values.';
    return misused(node, 'unknown-function', message, '`run.startedAt` and `run.id` are there');
  }
  if (/^_+$/.test(name)) {
    const message = 'A word that CEL reserves is called like a function.';
    return misused(node, 'unknown-function', message, 'write `condition ? a : b` for `if`');
  }
  const message = `There is no function ${quoted(name)}.`;
  const hint = functionHint(qualified, name);
  return misused(node, 'unknown-function', message, hint);
}

function demand(
  e: Evaluation,
  node: ExpressionNode,
  { name, parameters }: FunctionSpec,
  i: number,
  value: Value,
): void {
  const kinds = (parameters[i] ?? parameters.at(-1))?.kinds;
  if (kinds === undefined || kinds.includes(kindOfValue(value))) return;
  const wanted = kinds.map((one) => kindWords[one]).join(' or ');
  e.fail(
    node,
    () =>
      `${name} takes ${wanted}${parameters.length > 1 ? ` as its ${ordinal(i)}` : ''}, and here is ${describeValue(value)}`,
    value === null ? nullHint : undefined,
  );
}

const ordinal = (index: number): string => `${['first', 'second', 'third'][index] ?? 'next'} argument`;

function has(node: ExpressionNode, args: readonly ExpressionNode[], bound: BoundNames): CompiledExpression {
  const [target] = args;
  if (args.length !== 1 || (target?.op !== '.' && target?.op !== '.?')) {
    return misused(node, 'expression-arguments', '`has` looks at one access.', 'it is called as has(a.b)');
  }
  const [from, key] = target.args;
  const isOutput = isStepOutput(target, bound.slots);
  const run = bound.compile(from, bound);
  return (e) => {
    e.charge(1);
    return hasKey(e, run(e), key, isOutput);
  };
}

function makeOptional(
  node: ExpressionNode,
  name: 'of' | 'none',
  args: readonly ExpressionNode[],
  bound: BoundNames,
): CompiledExpression {
  const [value] = args;
  if (name === 'none' && args.length === 0) return () => none;
  if (name === 'none' || value === undefined || args.length !== 1) {
    return misused(
      node,
      'expression-arguments',
      `\`optional.${name}\` is not called like this.`,
      'optional.of(x), optional.none()',
    );
  }
  const run = bound.compile(value, bound);
  return (e) => {
    e.charge(1);
    return new Maybe(run(e));
  };
}

function orElse(
  node: ExpressionNode,
  name: 'or' | 'orValue',
  receiver: CompiledExpression,
  other: CompiledExpression,
): CompiledExpression {
  return (e) => {
    e.charge(1);
    const value = receiver(e);
    if (!(value instanceof Maybe)) {
      const say = (): string => `${name} follows an optional access such as a.?b, and here is ${describeValue(value)}`;
      return e.fail(node, say, '`default(x, …)` follows any value');
    }
    if (value.value !== undefined) return name === 'or' ? value : value.value;
    return other(e);
  };
}

function orDefault(node: ExpressionNode, bound: BoundNames): CompiledExpression {
  const form = defaultFormOf(node);
  if (form === undefined) return unknown(node, 'default');
  const [value, other] = [bound.compile(form.value, bound), bound.compile(form.other, bound)];
  return (e) => {
    e.charge(1);
    const found = value(e);
    const given = found instanceof Maybe ? found.value : found;
    return given ?? other(e);
  };
}

function bindOnce(node: ExpressionNode, args: readonly ExpressionNode[], bound: BoundNames): CompiledExpression {
  const [variable, value, body] = args;
  if (variable?.op !== 'id' || value === undefined || body === undefined) {
    return misused(
      node,
      'expression-arguments',
      '`cel.bind` is not called like this.',
      'it is called as cel.bind(x, value, expression)',
    );
  }
  const slot = bound.count;
  const run = bound.compile(value, bound);
  const inner = bound.compile(body, bind(bound, variable.args));
  return (e) => {
    e.charge(1);
    e.locals[slot] = run(e);
    return inner(e);
  };
}

/** Handles each item of a comprehension; `each` returns the item, or the value made from it. */
type ItemLoop = (e: Evaluation, node: ExpressionNode, items: readonly Value[], each: (item: Value) => Value) => Value;

const comprehensions = {
  all: quantifier(true),
  exists: quantifier(false),
  exists_one: (e, node, items, each) => items.filter((item) => truth(e, node, each(item))).length === 1,
  filter: (e, node, items, each) => e.list(items.filter((item) => truth(e, node, each(item)))),
  map: (e, _node, items, each) => e.list(items.map(each)),
} satisfies Record<string, ItemLoop>;

type Comprehension = keyof typeof comprehensions;

/** Ends at the first item that decides the result; errors of other items then do not matter. */
function quantifier(goesOnWhile: boolean): ItemLoop {
  return (e, node, items, each) => {
    let failure: EvaluationFailed | undefined;
    for (const item of items) {
      try {
        if (truth(e, node, each(item)) !== goesOnWhile) return !goesOnWhile;
      } catch (error) {
        if (!(error instanceof EvaluationFailed)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return goesOnWhile;
  };
}

function comprehension(
  node: ExpressionNode,
  name: Comprehension,
  receiver: ExpressionNode,
  args: readonly ExpressionNode[],
  bound: BoundNames,
): CompiledExpression {
  const [variable, first, second] = args;
  if (variable?.op !== 'id' || first === undefined || args.length > (name === 'map' ? 3 : 2))
    return unknown(node, name);
  const source = bound.compile(receiver, bound);
  const slot = bound.count;
  const inner = bind(bound, variable.args);
  const condition = second === undefined ? undefined : inner.compile(first, inner);
  const body = inner.compile(second ?? first, inner);
  const loop = comprehensions[name];
  return (e) => {
    e.charge(1);
    const items = itemsOf(e, node, name, source(e));
    const at = (run: CompiledExpression, item: Value): Value => {
      e.charge(1);
      e.locals[slot] = item;
      return run(e);
    };
    const wanted = condition === undefined ? items : items.filter((item) => truth(e, node, at(condition, item)));
    return loop(e, node, wanted, (item) => at(body, item));
  };
}

function itemsOf(e: Evaluation, node: ExpressionNode, name: string, value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (!isMap(value))
    return e.fail(node, () => `${name} goes through a list or the keys of a map, and here is ${describeValue(value)}`);
  return e.keysOf(value);
}
