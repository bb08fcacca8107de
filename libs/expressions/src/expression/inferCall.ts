import { excerpt } from '../source/excerpt.ts';
import { accessText, textOf } from './accessText.ts';
import { isForm } from './forms.ts';
import { functions } from './functions.ts';
import { type TypeInference, withName } from './inference.ts';
import { inferForm } from './inferForm.ts';
import { itemOf, needs } from './inferOperator.ts';
import { defaultFormOf } from './orDefault.ts';
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';
import * as types from './type.ts';

export function inferCall(
  at: TypeInference,
  node: ExpressionNode,
  name: string,
  args: readonly ExpressionNode[],
): Type {
  if (name === 'has') {
    const [target] = args;
    // The tested field may be missing; the value that should have it may not.
    if (target?.op === '.' || target?.op === '.?') {
      at.infer({ ...at, guarded: new Set([...at.guarded, accessText(target)]) }, target);
    }
    return types.boolean;
  }
  if (name === 'default') return inferDefault(at, node);
  return inferFunction(at, name, args);
}

export function inferMethod(
  at: TypeInference,
  node: ExpressionNode,
  name: string,
  receiver: ExpressionNode,
  args: readonly ExpressionNode[],
): Type {
  const namespace = receiver.op === 'id' && !at.names.has(receiver.args) ? receiver.args : undefined;
  const [first, second, third] = args;
  if (namespace === 'optional') return types.optional(first === undefined ? types.any : at.infer(at, first));
  if (namespace === 'cel' && first?.op === 'id' && second !== undefined && third !== undefined) {
    return at.infer(withName(at, first.args, at.infer(at, second)), third);
  }
  if (namespace === 'math') return inferFunction(at, name, args);
  if (functions.has(`${namespace}.${name}`)) return inferFunction(at, `${namespace}.${name}`, args);
  if (name === 'default') return inferDefault(at, node);
  if (isForm(name)) return inferForm(at, name, receiver, args);
  if (name === 'or' || name === 'orValue') return inferOr(at, name, receiver, first);
  if (first?.op === 'id' && second !== undefined && comprehensions.has(name)) {
    return inferComprehension(at, name, receiver, first.args, args.slice(1));
  }
  return inferFunction(at, name, [receiver, ...args]);
}

function inferOr(
  at: TypeInference,
  name: 'or' | 'orValue',
  receiver: ExpressionNode,
  other: ExpressionNode | undefined,
): Type {
  const type = at.infer(at, receiver);
  needs(at, receiver, type, ['optional'], `\`${name}\``);
  const fallback = other === undefined ? types.any : at.infer(at, other);
  const found = type.kind === 'optional' ? type.of : types.any;
  const rest = fallback.kind === 'optional' ? fallback.of : fallback;
  if (name === 'orValue' && other !== undefined && !types.kindsOf(rest).includes('null'))
    keptNull(at, receiver, other, found);
  const either = types.union([found, rest]);
  return name === 'or' ? types.optional(either) : either;
}

/** `orValue` replaces what is missing, and keeps null. */
function keptNull(at: TypeInference, receiver: ExpressionNode, other: ExpressionNode, found: Type): void {
  if (!types.mayBeNull(found)) return;
  const [access, value] = [receiver, other].map((one) => excerpt(textOf(one)));
  at.complain('may-be-null', receiver, `\`${access}\` may be null, which \`orValue\` keeps.`, {
    hint: `\`default(${access}, ${value})\` replaces null, too`,
  });
}

function inferDefault(at: TypeInference, node: ExpressionNode): Type {
  const form = defaultFormOf(node);
  if (form === undefined) return types.any;
  const value = at.infer(at, form.value);
  const found = types.alternatives(value).map((one) => (one.kind === 'optional' ? one.of : one));
  return types.union([types.notNull(types.union(found)), at.infer(at, form.other)]);
}

const comprehensions = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

function inferComprehension(
  at: TypeInference,
  name: string,
  receiver: ExpressionNode,
  variable: string,
  bodies: readonly ExpressionNode[],
): Type {
  const source = at.infer(at, receiver);
  needs(at, receiver, source, ['list', 'map'], `\`${name}\``);
  const item = types.union(
    types.alternatives(source).flatMap((one): Type[] => (one.kind === 'map' ? [types.text] : [itemOf(one)])),
  );
  const inner = withName(at, variable, item);
  const last = bodies.length - 1;
  const results = bodies.map((body, i) => {
    const type = inner.infer(inner, body);
    const isCondition = name !== 'map' || i < last;
    if (isCondition) needs(inner, body, type, ['boolean'], `\`${name}\``);
    return type;
  });
  if (name === 'map') return types.list(results[last] ?? types.any);
  if (name !== 'filter') return types.boolean;
  const kept = at.nullTested?.has(variable) === true ? types.notNull(item) : item;
  return types.list(bodies[0] === undefined ? kept : withFields(kept, fieldsAskedFor(bodies[0], variable)));
}

/** Fields of the variable that exist if the condition holds. */
function fieldsAskedFor(condition: ExpressionNode, variable: string): string[] {
  if (condition.op === '&&') return condition.args.flatMap((one) => fieldsAskedFor(one, variable));
  if (condition.op !== 'call' || condition.args[0] !== 'has') return [];
  const [target] = condition.args[1];
  const isOwn = target?.op === '.' && target.args[0].op === 'id' && target.args[0].args === variable;
  return isOwn ? [target.args[1]] : [];
}

function withFields(item: Type, keys: readonly string[]): Type {
  if (keys.length === 0) return item;
  const sure = types.alternatives(item).map((one): Type => {
    if (one.kind !== 'map') return one;
    const fields = [...one.fields].map(
      ([key, field]) => [key, keys.includes(key) ? { type: field.type } : field] as const,
    );
    return { ...one, fields: new Map(fields) };
  });
  return types.union(sure);
}

function inferFunction(at: TypeInference, name: string, args: readonly ExpressionNode[]): Type {
  const spec = functions.get(name);
  const given = args.map((one) => at.infer(at, one));
  if (spec === undefined) return types.any;
  args.forEach((one, i) => {
    const kinds = (spec.parameters[i] ?? spec.parameters.at(-1))?.kinds;
    if (kinds !== undefined) needs(at, one, given[i] ?? types.any, kinds, `\`${name}\``);
  });
  return typeof spec.returns === 'function' ? spec.returns(given) : spec.returns;
}
