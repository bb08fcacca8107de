import type { Json } from '@baton/primitives';

import { excerpt, quoted } from '../source/excerpt.ts';
import { didYouMean, either } from '../source/nearest.ts';
import { isStepOutput } from './access.ts';
import { textOf } from './accessText.ts';
import { type TypeInference, capital } from './inference.ts';
import type { ExpressionNode } from './parse.ts';
import type { Type } from './type.ts';
import * as types from './type.ts';
import { type ValueKind, kindWords } from './value.ts';

type Binary = '==' | '!=' | 'in' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=';

/** Which kinds can be combined, and the kind of the result. */
const arithmetic: Readonly<Record<string, readonly (readonly [ValueKind, ValueKind, ValueKind])[]>> = {
  '+': [
    ['number', 'number', 'number'],
    ['text', 'text', 'text'],
    ['list', 'list', 'list'],
    ['bytes', 'bytes', 'bytes'],
    ['timestamp', 'duration', 'timestamp'],
    ['duration', 'timestamp', 'timestamp'],
    ['duration', 'duration', 'duration'],
  ],
  '-': [
    ['number', 'number', 'number'],
    ['timestamp', 'duration', 'timestamp'],
    ['timestamp', 'timestamp', 'duration'],
    ['duration', 'duration', 'duration'],
  ],
};

const numbersOnly: readonly (readonly [ValueKind, ValueKind, ValueKind])[] = [['number', 'number', 'number']];

const ordered: readonly ValueKind[] = ['number', 'text', 'boolean', 'timestamp', 'duration'];

export function inferBinary(at: TypeInference, node: ExpressionNode, op: Binary, left: Type, right: Type): Type {
  switch (op) {
    case '==':
    case '!=':
      compareKinds(at, node, left, right);
      return types.boolean;
    case 'in':
      return inferIn(at, node, left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (!ordered.some((kind) => types.mayBe(left, [kind]) && types.mayBe(right, [kind]))) {
        at.complain(
          'expression-type',
          node,
          `There is no order between ${types.describe(left)} and ${types.describe(right)}.`,
          { hint: noneHint(node, left, right) ?? orderHint(left, right) },
        );
      } else doubtNulls(at, node, left, right);
      return types.boolean;
    default:
      return inferArithmetic(at, node, op, left, right);
  }
}

function inferArithmetic(at: TypeInference, node: ExpressionNode, op: string, left: Type, right: Type): Type {
  const pairs = (arithmetic[op] ?? numbersOnly).filter(([a, b]) => types.mayBe(left, [a]) && types.mayBe(right, [b]));
  if (pairs.length === 0) {
    const isText = op === '+' && (types.mayBe(left, ['text']) || types.mayBe(right, ['text']));
    at.complain(
      'expression-type',
      node,
      `\`${op}\` does not take ${types.describe(left)} and ${types.describe(right)}.`,
      {
        hint:
          noneHint(node, left, right) ?? (isText ? '`string(…)` makes a text of a number' : numberHint(left, right)),
      },
    );
    return types.any;
  }
  doubtNulls(at, node, left, right);
  return types.union(pairs.map(([, , result]) => resultOf(result, left, right)));
}

function doubtNulls(at: TypeInference, node: ExpressionNode, left: Type, right: Type): void {
  const [a, b] = node.args as readonly [ExpressionNode, ExpressionNode];
  doubtNull(at, a, left);
  doubtNull(at, b, right);
}

const isOnly = (type: Type, kind: ValueKind): boolean => types.alternatives(type).every((one) => one.kind === kind);

/** A hint for a text in place of a number. */
const numberHint = (left: Type, right: Type): string | undefined =>
  [left, right].some((one) => isOnly(one, 'text')) && [left, right].some((one) => isOnly(one, 'number'))
    ? '`int(…)` or `double(…)` makes a number of a text'
    : undefined;

function orderHint(left: Type, right: Type): string | undefined {
  const isSized = [left, right].some((one) => isOnly(one, 'list') || isOnly(one, 'map'));
  const isNumber = [left, right].some((one) => isOnly(one, 'number'));
  return isSized && isNumber ? '`size(…)` is how many there are' : numberHint(left, right);
}

function resultOf(kind: ValueKind, left: Type, right: Type): Type {
  if (kind === 'list') return types.list(types.union([itemOf(left), itemOf(right)]));
  return kind === 'map' || kind === 'optional' ? types.any : { kind };
}

/** A hint for what an optional access found in place of its value: of the first side that is one. */
function noneHint(node: ExpressionNode, left: Type, right: Type): string | undefined {
  const [a, b] = node.args as readonly [ExpressionNode, ExpressionNode];
  return optionalHint(a, left) ?? optionalHint(b, right);
}

/** The same for one value. */
export function optionalHint(node: ExpressionNode, type: Type): string | undefined {
  if (!accesses.has(node.op) || types.alternatives(type).every(({ kind }) => kind !== 'optional')) return undefined;
  return `\`${excerpt(textOf(node))}.orValue(…)\` is the value, or a default where there is none`;
}

const accesses: ReadonlySet<ExpressionNode['op']> = new Set(['.', '.?', '[]', '[?]', 'rcall']);

/** The type of a list's items. */
export const itemOf = (type: Type): Type =>
  types.union(
    types.alternatives(type).flatMap((one): Type[] => {
      if (one.kind === 'list') return [one.of];
      return one.kind === 'any' ? [types.any] : [];
    }),
  );

function inferIn(at: TypeInference, node: ExpressionNode, left: Type, right: Type): Type {
  if (!types.mayBe(right, ['list', 'map'])) {
    const isText = types.mayBe(right, ['text']);
    at.complain('expression-type', node, `\`in\` looks into lists and maps, not into ${types.describe(right)}.`, {
      hint: isText ? '`text.contains(part)` looks into a text' : noneHint(node, left, right),
    });
  } else if (node.op === 'in' && types.mayBeNull(right)) {
    doubtNull(at, node.args[1], right);
  } else if (node.op === 'in' && node.args[1].op === 'list' && node.args[1].args.length > 0) {
    inWritten(at, node, left, node.args[1].args);
  } else if (types.alternatives(right).every(({ kind }) => kind === 'list')) {
    compareKinds(at, node, left, itemOf(right));
  }
  return types.boolean;
}

/** Each of the items must be a possible value. */
function inWritten(at: TypeInference, node: ExpressionNode, left: Type, items: readonly ExpressionNode[]): void {
  const silent = { ...at, complain: () => undefined };
  const each = items.map((item) => ({ item, type: silent.infer(silent, item) }));
  const all = types.union(each.map(({ type }) => type));
  // A constant, such as `set: { env: prod }`, is equal to at least some of the cases.
  const one = types.valuesOf(left);
  if (one?.length === 1 && types.valuesOf(all)?.includes(one[0] ?? null) === true) return;
  if (!types.kindsOf(left).some((kind) => types.kindsOf(all).includes(kind))) return compareKinds(at, node, left, all);
  for (const { item, type } of each) compareValues(at, item, left, type);
}

/** Values of different kinds are never equal: valid, but surely not meant. */
function compareKinds(at: TypeInference, node: ExpressionNode, left: Type, right: Type): void {
  const [a, b] = [types.kindsOf(left), types.kindsOf(right)];
  const isOpen = [...a, ...b].some((kind) => kind === 'any' || kind === 'null' || kind === 'optional');
  if (isOpen) return;
  if (a.some((kind) => b.includes(kind))) compareValues(at, node, left, right);
  else at.complain('never-equal', node, `${capital(types.describe(left))} never equals ${types.describe(right)}.`);
}

/** A comparison of one of a few values with a value that is none of them: a typing error. */
function compareValues(at: TypeInference, node: ExpressionNode, left: Type, right: Type): void {
  const [a, b] = [types.valuesOf(left), types.valuesOf(right)];
  if (a === undefined || b === undefined || a.some((one) => b.includes(one))) return;
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  const names = many.filter((one) => typeof one === 'string');
  const [found] = few;
  at.complain('never-equal', node, `${shown(found)} is not among the values that this can have.`, {
    expected: either(many.slice(0, valuesShown).map(shown)),
    found: shown(found),
    hint: typeof found === 'string' ? didYouMean(found, names) : undefined,
  });
}

const valuesShown = 12;

const shown = (value: Json | undefined): string =>
  typeof value === 'string' ? quoted(value) : JSON.stringify(value ?? null);

/** A hint for a map in place of one of its fields. */
export function fieldHint(type: Type, kinds: readonly ValueKind[]): string | undefined {
  const fields = types.fieldsThatMayBe(type, kinds).slice(0, fieldsShown);
  if (fields.length === 0) return undefined;
  return `did you mean its ${either(fields.map(quoted))}?`;
}

const fieldsShown = 3;

/** Reports a value that works, except where it is null. */
export function doubtNull(at: TypeInference, node: ExpressionNode, type: Type): void {
  if (!types.mayBeNull(type)) return;
  const access = excerpt(textOf(node));
  const isOutput = isStepOutput(node, new Set());
  at.complain('may-be-null', node, `\`${access}\` may be null here; the expression fails then.`, {
    hint: isOutput
      ? `where the step was skipped or failed, \`default(${access}, …)\` is the other value`
      : `\`default(${access}, …)\` is another value then; or test it first: \`${access} != null\``,
  });
}

/** Reports a type that can be none of the kinds, or null besides them. */
export function needs(
  at: TypeInference,
  node: ExpressionNode,
  type: Type,
  kinds: readonly ValueKind[],
  who: string,
): void {
  if (types.mayBe(type, kinds)) {
    if (!kinds.includes('null')) doubtNull(at, node, type);
    return;
  }
  const expected = kinds.map((kind) => kindWords[kind]).join(' or ');
  const found = types.describe(type);
  const hint = optionalHint(node, type) ?? fieldHint(type, kinds);
  at.complain('expression-type', node, `${who} takes ${expected}, and this is ${found}.`, { expected, found, hint });
}
