import type { Inferring } from './infer.ts';
import { capital } from './infer.ts';
import type { Node } from './parse.ts';
import type { Type } from './type.ts';
import * as types from './type.ts';
import type { Kind } from './value.ts';
import { kindWords } from './value.ts';

type Binary = '==' | '!=' | 'in' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=';

/** Which kinds go together, and what comes of it. */
const arithmetic: Readonly<Record<string, readonly (readonly [Kind, Kind, Kind])[]>> = {
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

const numbersOnly: readonly (readonly [Kind, Kind, Kind])[] = [['number', 'number', 'number']];

const ordered: readonly Kind[] = ['number', 'text', 'boolean', 'timestamp', 'duration'];

export function inferBinary(at: Inferring, node: Node, op: Binary, left: Type, right: Type): Type {
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
        );
      }
      return types.boolean;
    default:
      return inferArithmetic(at, node, op, left, right);
  }
}

function inferArithmetic(at: Inferring, node: Node, op: string, left: Type, right: Type): Type {
  const pairs = (arithmetic[op] ?? numbersOnly).filter(([a, b]) => types.mayBe(left, [a]) && types.mayBe(right, [b]));
  if (pairs.length === 0) {
    const isText = op === '+' && (types.mayBe(left, ['text']) || types.mayBe(right, ['text']));
    at.complain(
      'expression-type',
      node,
      `\`${op}\` does not take ${types.describe(left)} and ${types.describe(right)}.`,
      {
        hint: isText ? '`string(…)` makes a text of a number' : undefined,
      },
    );
    return types.any;
  }
  return types.union(pairs.map(([, , result]) => resultOf(result, left, right)));
}

function resultOf(kind: Kind, left: Type, right: Type): Type {
  if (kind === 'list') return types.list(types.union([itemOf(left), itemOf(right)]));
  return kind === 'map' || kind === 'optional' ? types.any : { kind };
}

/** The type of a list's items. */
export const itemOf = (type: Type): Type =>
  types.union(
    types
      .alternatives(type)
      .flatMap((one): Type[] => (one.kind === 'list' ? [one.of] : one.kind === 'any' ? [types.any] : [])),
  );

function inferIn(at: Inferring, node: Node, left: Type, right: Type): Type {
  if (!types.mayBe(right, ['list', 'map'])) {
    const isText = types.mayBe(right, ['text']);
    at.complain('expression-type', node, `\`in\` looks into lists and maps, not into ${types.describe(right)}.`, {
      hint: isText ? '`text.contains(part)` looks into a text' : undefined,
    });
  } else if (types.alternatives(right).every(({ kind }) => kind === 'list')) {
    compareKinds(at, node, left, itemOf(right));
  }
  return types.boolean;
}

/** Values of kinds that have nothing in common are never equal: not wrong, but hardly meant. */
function compareKinds(at: Inferring, node: Node, left: Type, right: Type): void {
  const [a, b] = [types.kindsOf(left), types.kindsOf(right)];
  const isOpen = [...a, ...b].some((kind) => kind === 'any' || kind === 'null' || kind === 'optional');
  if (isOpen || a.some((kind) => b.includes(kind))) return;
  at.complain('never-equal', node, `${capital(types.describe(left))} never equals ${types.describe(right)}.`);
}

/** Complains where the type can be none of the kinds. */
export function needs(at: Inferring, node: Node, type: Type, kinds: readonly Kind[], who: string): void {
  if (types.mayBe(type, kinds)) return;
  const expected = kinds.map((kind) => kindWords[kind]).join(' or ');
  const found = types.describe(type);
  at.complain('expression-type', node, `${who} takes ${expected}, and this is ${found}.`, { expected, found });
}
