/**
 * Infers the type of an expression from the types of what it reads. Reports what fails for all values, and leaves what
 * may work to the run.
 */
import { excerpt, quoted } from '../source/excerpt.ts';
import { didYouMean } from '../source/nearest.ts';
import { isStepOutput } from './access.ts';
import { textOf } from './accessText.ts';
import { typeNames } from './functions/conversions.ts';
import { isGuarded } from './guards.ts';
import { inferCall, inferMethod } from './inferCall.ts';
import { type InferenceScope, type TypeInference, capital } from './inference.ts';
import { doubtNull, inferBinary, needs, optionalHint } from './inferOperator.ts';
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';
import * as types from './type.ts';

export const infer = (scope: InferenceScope, node: ExpressionNode): Type =>
  inferPart({ ...scope, infer: inferPart }, node);

function inferPart(at: TypeInference, node: ExpressionNode): Type {
  const found = inferNode(at, node);
  const isTested = types.mayBeNull(found) && at.nullTested !== undefined && isGuarded(at.nullTested, node);
  const type = isTested ? types.notNull(found) : found;
  at.note?.(node, type, at);
  return type;
}

function inferNode(at: TypeInference, node: ExpressionNode): Type {
  switch (node.op) {
    case 'value':
      return typeOfLiteral(node.args);
    case 'id':
      return inferName(at, node, node.args);
    case '.':
    case '.?':
      return inferField(at, node, inferPart(at, node.args[0]), node.args[1], node.op === '.?');
    case '[]':
    case '[?]':
      return inferIndex(at, node, node.args[0], node.args[1], node.op === '[?]');
    case 'call':
      return inferCall(at, node, ...node.args);
    case 'rcall':
      return inferMethod(at, node, ...node.args);
    case 'list':
      return types.list(types.union(node.args.map((one) => inferPart(at, one))));
    case 'map':
      return inferMap(at, node.args);
    case '?:': {
      const [condition, yes, no] = node.args;
      needs(at, condition, inferPart(at, condition), ['boolean'], 'A condition');
      return types.union([inferPart(at, yes), inferPart(at, no)]);
    }
    case '||':
    case '&&':
      for (const side of node.args) needs(at, side, inferPart(at, side), ['boolean'], `\`${node.op}\``);
      return types.boolean;
    case '!_':
      needs(at, node.args, inferPart(at, node.args), ['boolean'], '`!`');
      return types.boolean;
    case '-_':
      needs(at, node.args, inferPart(at, node.args), ['number'], '`-`');
      return types.number;
    default:
      return inferBinary(at, node, node.op, inferPart(at, node.args[0]), inferPart(at, node.args[1]));
  }
}

function typeOfLiteral(value: unknown): Type {
  if (value instanceof Uint8Array) return types.bytes;
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? types.typeOfValue(Number(value)) : types.integer;
  return types.typeOfValue(value as string | number | boolean | null);
}

function inferName({ names, unlisted, complain }: TypeInference, node: ExpressionNode, name: string): Type {
  const type = names.get(name);
  if (type !== undefined) return type;
  if (typeNames.includes(name)) return types.typeName;
  const known = [...names.keys()].filter((one) => !unlisted.has(one));
  complain('unknown-name', node, `There is no ${quoted(name)} here.`, {
    expected: known.length === 0 ? 'no names at all' : known.join(', '),
    hint: didYouMean(name, known) ?? itemHint(name, known) ?? declared(name),
  });
  return types.any;
}

/** A hint for `item` if the item has another name: the innermost `as`. */
function itemHint(name: string, known: readonly string[]): string | undefined {
  const own = known.filter((one) => !general.has(one));
  return name === 'item' && known.includes('index') && own.length > 0
    ? `the item is called "${own.at(-1)}" here`
    : undefined;
}

/** A hint for what a workflow has to declare before it can be read. */
const declared = (owner: string, key = 'key'): string | undefined =>
  owner === 'inputs' || owner === 'state'
    ? `declare it: \`${owner}: { ${excerpt(key)}: { type: …${owner === 'state' ? ', default: …' : ''} } }\``
    : undefined;

const general = new Set([
  'inputs',
  'run',
  'state',
  'steps',
  'error',
  'event',
  'index',
  'signal',
  'result',
  'call',
  'secrets',
]);

/** The type of `from.key`. A key that no alternative of `from` can have is reported. */
function inferField(at: TypeInference, node: ExpressionNode, from: Type, key: string, isOptional: boolean): Type {
  const found: Type[] = [];
  const maps: Extract<Type, { kind: 'map' }>[] = [];
  let mayBeMissing = false;
  let isUndeclared = false;
  for (const one of types.alternatives(from)) {
    if (one.kind === 'any') found.push(types.any);
    if (one.kind === 'optional') return types.optional(inner(inferField(at, node, one.of, key, true)));
    if (one.kind !== 'map') {
      mayBeMissing ||= one.kind !== 'any' && one.kind !== 'null';
      continue;
    }
    maps.push(one);
    const field = one.fields.get(key);
    isUndeclared ||= field === undefined && one.isOpen === true;
    const type = field?.type ?? one.rest;
    mayBeMissing ||= field?.isOptional === true || type === undefined;
    if (type !== undefined) found.push(type);
  }
  if (!isOptional && (maps.length > 0 || from.kind === 'any')) doubtNull(at, ownerOf(node), from);
  if (found.length === 0) complainOfField(at, node, from, key, maps);
  else if (mayBeMissing && !isOptional && !isGuarded(at.guarded, node)) {
    at.complain('may-be-missing', node, `${quoted(key)} may be missing here; the expression fails then.`, {
      hint: `read it as \`.?${key}\`, with \`.orValue(…)\`; in a schema of your own, list it under \`required\``,
    });
  } else if (isUndeclared && !maps.some(({ fields }) => fields.has(key))) {
    const keys = [...new Set(maps.flatMap(({ fields }) => [...fields.keys()]))];
    at.complain(
      'undeclared-field',
      node,
      `The schema of \`${excerpt(ownerText(node))}\` says nothing of ${quoted(key)}.`,
      {
        expected: keys.slice(0, keysShown).join(', '),
        found: key,
        hint: didYouMean(key, keys),
      },
    );
  }
  const type = types.union(found);
  if (!isOptional) return type;
  return types.optional(isStepOutput(node, noNames) ? types.notNull(type) : type);
}

const noNames: ReadonlySet<string> = new Set();

const inner = (type: Type): Type => (type.kind === 'optional' ? type.of : type);

const keysShown = 12;

function complainOfField(
  { complain }: TypeInference,
  node: ExpressionNode,
  from: Type,
  key: string,
  maps: readonly Extract<Type, { kind: 'map' }>[],
): void {
  if (maps.length === 0) {
    const found = types.describe(from);
    complain('expression-type', node, `${quoted(key)} is asked of ${found}, which has no keys.`, {
      expected: 'a map',
      found,
      hint: key === 'length' ? 'write `size(…)`' : undefined,
    });
    return;
  }
  const keys = [...new Set(maps.flatMap(({ fields }) => [...fields.keys()]))];
  complain('unknown-field', node, `There is no ${quoted(key)} in \`${excerpt(ownerText(node))}\`.`, {
    expected: keys.length === 0 ? 'no keys' : keys.slice(0, keysShown).join(', '),
    found: key,
    hint: didYouMean(key, keys) ?? declared(ownerText(node), key),
  });
}

const ownerOf = (node: ExpressionNode): ExpressionNode =>
  node.op === '.' || node.op === '.?' || node.op === '[]' || node.op === '[?]' ? node.args[0] : node;

const ownerText = (node: ExpressionNode): string => textOf(ownerOf(node));

function inferIndex(
  at: TypeInference,
  node: ExpressionNode,
  fromNode: ExpressionNode,
  keyNode: ExpressionNode,
  isOptional: boolean,
): Type {
  const from = inferPart(at, fromNode);
  if (keyNode.op === 'value' && typeof keyNode.args === 'string') {
    return inferField(at, node, from, keyNode.args, isOptional);
  }
  const key = inferPart(at, keyNode);
  const of = types.alternatives(inner(from)).flatMap((one): Type[] => {
    if (one.kind === 'any') return [types.any];
    if (one.kind === 'list' && types.mayBe(key, ['number'])) return [one.of];
    if (one.kind === 'map' && types.mayBe(key, ['text'])) return [types.any];
    return [];
  });
  if (of.length > 0 && !isOptional) doubtNull(at, fromNode, from);
  if (of.length === 0) {
    const message = `${capital(types.describe(from))} cannot be asked for an item by ${types.describe(key)}.`;
    at.complain('expression-type', node, message, { hint: optionalHint(keyNode, key) });
  }
  const type = types.union(of);
  return isOptional || from.kind === 'optional' ? types.optional(type) : type;
}

function inferMap(at: TypeInference, entries: readonly (readonly [ExpressionNode, ExpressionNode])[]): Type {
  const fields: Record<string, Type | types.Field> = {};
  let isComputed = false;
  for (const [keyNode, valueNode] of entries) {
    const key = inferPart(at, keyNode);
    needs(at, keyNode, key, ['text'], 'A key');
    const value = inferPart(at, valueNode);
    if (keyNode.op === 'value' && typeof keyNode.args === 'string') fields[keyNode.args] = types.fieldOf(value);
    else isComputed = true;
  }
  return types.map(fields, isComputed ? types.any : undefined);
}
