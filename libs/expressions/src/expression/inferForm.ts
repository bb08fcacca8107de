/** Types of `find`, `sortBy`, `groupBy`, `reduce`, `transformList`, `transformMap` and `transformMapEntry`. */
import { binding } from './forms.ts';
import { type TypeInference, withName } from './inference.ts';
import { itemOf, needs } from './inferOperator.ts';
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';
import * as types from './type.ts';

/** What the receiver of a form may be; a list where nothing else is said. */
const receiverKinds: Readonly<Record<string, readonly ('list' | 'map')[]>> = {
  transformMap: ['map'],
  transformList: ['list', 'map'],
  transformMapEntry: ['list', 'map'],
};

export function inferForm(
  at: TypeInference,
  name: string,
  receiver: ExpressionNode,
  args: readonly ExpressionNode[],
): Type {
  const source = at.infer(at, receiver);
  needs(at, receiver, source, receiverKinds[name] ?? ['list'], `\`${name}\``);
  const { names = 0, begins } = binding[name] ?? {};
  const variables = args.slice(0, names).flatMap((one) => (one.op === 'id' ? [one.args] : []));
  const [start, body] = begins ? args.slice(names) : [undefined, args[names]];
  const [first = '', second = ''] = variables;
  if (body === undefined || variables.length < names) return types.any;
  if (start !== undefined) return inferReduce(at, source, first, second, start, body);
  if (names === 1) return inferKeyed(at, name, source, first, body);
  const inner = withName(withName(at, first, keyType(source)), second, valueType(source));
  const made = inner.infer(inner, body);
  if (name === 'transformList') return types.list(made);
  if (name === 'transformMap') return changed(source, made);
  needs(inner, body, made, ['map'], '`transformMapEntry`');
  return types.map(
    {},
    types.union(types.alternatives(made).map((one) => (one.kind === 'map' ? valuesIn(one) : types.any))),
  );
}

function inferKeyed(at: TypeInference, name: string, source: Type, variable: string, body: ExpressionNode): Type {
  const item = itemOf(source);
  const inner = withName(at, variable, item);
  const key = inner.infer(inner, body);
  if (name === 'find') {
    needs(inner, body, key, ['boolean'], '`find`');
    return types.optional(item);
  }
  if (name === 'sortBy') {
    const keys = key.kind === 'list' ? key.of : key;
    needs(inner, body, keys, ['number', 'text', 'boolean', 'timestamp', 'duration'], '`sortBy`');
    return types.list(item);
  }
  needs(inner, body, key, ['text', 'number', 'boolean', 'null'], '`groupBy`');
  return types.map({}, types.list(item));
}

/** The result of a round is the input of the next: both have one type, or any. */
function inferReduce(
  at: TypeInference,
  source: Type,
  total: string,
  item: string,
  start: ExpressionNode,
  body: ExpressionNode,
): Type {
  const from = at.infer(at, start);
  const general = types.union([widened(from)]);
  const made = at.infer(withName(withName(at, item, itemOf(source)), total, general), body);
  return types.union([general, widened(made)]);
}

/** The type without the known initial values; a list or a map may become any other. */
function widened(type: Type): Type {
  if (type.kind === 'list') return types.list(types.any);
  if (type.kind === 'map') return types.anyMap;
  if (type.kind === 'number') return types.number;
  return type.kind === 'text' || type.kind === 'boolean' ? { kind: type.kind } : types.any;
}

const keyType = (source: Type): Type =>
  types.union(
    types.alternatives(source).map(({ kind }) => {
      if (kind === 'map') return types.text;
      return kind === 'list' ? types.integer : types.any;
    }),
  );

const valueType = (source: Type): Type =>
  types.union(
    types.alternatives(source).map((one) => {
      if (one.kind === 'map') return valuesIn(one);
      return one.kind === 'list' ? one.of : types.any;
    }),
  );

const valuesIn = ({ fields, rest }: Extract<Type, { kind: 'map' }>): Type =>
  types.union([...fields.values().map(({ type }) => type), ...(rest === undefined ? [] : [rest])]);

function changed(source: Type, value: Type): Type {
  if (source.kind !== 'map') return types.map({}, value);
  const fields = [...source.fields].map(([key, { isOptional = false }]) => [key, { type: value, isOptional }] as const);
  return types.map(Object.fromEntries(fields), source.rest === undefined ? undefined : value);
}
