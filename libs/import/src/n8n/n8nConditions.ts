/** Translates the conditions of `if`, `filter` and `switch` into CEL, in all formats that n8n has used. */
import { childOf } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { dig, listOf, mapOf, textOf } from '../json.ts';
import { type N8nNames, operandOf } from './n8nValues.ts';
import type { N8nNode } from './readN8n.ts';

type Comparison = (left: string, right: string) => string;

const infix =
  (operator: string): Comparison =>
  (left, right) =>
    `${left} ${operator} ${right}`;

const comparisons: Readonly<Record<string, Comparison>> = {
  equals: infix('=='),
  equal: infix('=='),
  notEquals: infix('!='),
  notEqual: infix('!='),
  gt: infix('>'),
  larger: infix('>'),
  gte: infix('>='),
  largerEqual: infix('>='),
  lt: infix('<'),
  smaller: infix('<'),
  lte: infix('<='),
  smallerEqual: infix('<='),
  after: infix('>'),
  before: infix('<'),
  contains: (left, right) => `contains(${left}, ${right})`,
  notContains: (left, right) => `!contains(${left}, ${right})`,
  startsWith: (left, right) => `startsWith(${left}, ${right})`,
  endsWith: (left, right) => `endsWith(${left}, ${right})`,
  regex: (left, right) => `matches(${left}, ${right})`,
  notRegex: (left, right) => `!matches(${left}, ${right})`,
  true: (left) => left,
  false: (left) => `!(${left})`,
  isEmpty: (left) => emptiness(left),
  empty: (left) => emptiness(left),
  isNotEmpty: (left) => `!(${emptiness(left)})`,
  notEmpty: (left) => `!(${emptiness(left)})`,
  exists: (left) => presence(left),
  notExists: (left) => `!(${presence(left)})`,
  lengthEquals: (left, right) => `size(${left}) == ${right}`,
  lengthGte: (left, right) => `size(${left}) >= ${right}`,
  lengthLte: (left, right) => `size(${left}) <= ${right}`,
  lengthGt: (left, right) => `size(${left}) > ${right}`,
  lengthLt: (left, right) => `size(${left}) < ${right}`,
};

/** Of texts, where the node takes no notice of case. */
const ofTexts = new Set([
  'equals',
  'equal',
  'notEquals',
  'notEqual',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
]);

const isPath = (cel: string): boolean => /^[A-Za-z_][\w.[\]"?]*\.\w+$/.test(cel);

const presence = (cel: string): string => (isPath(cel) && !cel.includes('.?') ? `has(${cel})` : `${cel} != null`);
const emptiness = (cel: string): string => `size(${cel}) == 0`;

export class N8nConditions {
  readonly #importing: Import;
  readonly #names: N8nNames;
  #ignoresCase = false;

  constructor(importing: Import, names: N8nNames) {
    this.#importing = importing;
    this.#names = names;
  }

  /** The condition of an `if` or `filter`. */
  ofNode(node: N8nNode): string {
    const { parameters, pointer } = node;
    const at = childOf(childOf(pointer, 'parameters'), 'conditions');
    this.#take(node);
    const { conditions } = parameters;
    if (Array.isArray(dig(conditions, 'conditions'))) return this.#filter(conditions, at);
    const all = Object.entries(mapOf(conditions)).flatMap(([type, list]) =>
      listOf(list).map((one, i) => {
        const fields = mapOf(one);
        const usual = type === 'number' ? 'smaller' : 'equal';
        const values = [fields['value1'], fields['value2']] as const;
        return this.#compared(textOf(fields['operation']) ?? usual, values, childOf(childOf(at, type), i));
      }),
    );
    return combined(all, parameters['combineOperation'] === 'any' ? '||' : '&&');
  }

  /** One condition for each rule of a `switch`. */
  ofSwitch(node: N8nNode): readonly string[] {
    const { parameters, pointer, outputs } = node;
    const at = childOf(childOf(pointer, 'parameters'), 'rules');
    this.#take(node);
    if (parameters['mode'] === 'expression') {
      const chosen = operandOf(
        this.#importing,
        parameters['output'],
        childOf(childOf(pointer, 'parameters'), 'output'),
        this.#names,
      );
      return outputs.map((_, i) => `string(${chosen}) == "${i}"`);
    }
    const values = listOf(dig(parameters['rules'], 'values'));
    if (values.length > 0) {
      return values.map((rule, i) => this.#filter(mapOf(rule)['conditions'], childOf(childOf(at, 'values'), i)));
    }
    return listOf(dig(parameters['rules'], 'rules')).map((rule, i) => {
      const { operation, value2 } = mapOf(rule);
      return this.#compared(
        textOf(operation) ?? 'equal',
        [parameters['value1'], value2],
        childOf(childOf(at, 'rules'), i),
      );
    });
  }

  /** How the node compares: findings, and whether case counts. */
  #take({ parameters, pointer }: N8nNode): void {
    const options = mapOf(parameters['options']);
    this.#ignoresCase = options['ignoreCase'] === true;
    const at = childOf(pointer, 'parameters');
    if (parameters['looseTypeValidation'] === true) {
      const message = 'n8n converts the types of what it compares; Baton finds a text and a number unequal.';
      this.#importing.note('differs', { pointer: childOf(at, 'looseTypeValidation'), at: 'key', message });
    }
    if (options['allMatchingOutputs'] === true) {
      const message = 'n8n takes every output whose rule is true; a `switch` takes the first.';
      this.#importing.note('differs', {
        pointer: childOf(childOf(at, 'options'), 'allMatchingOutputs'),
        at: 'key',
        message,
      });
    }
    const fallback = parameters['fallbackOutput'] ?? options['fallbackOutput'];
    if (typeof fallback === 'number' && fallback >= 0) {
      const message = `Where no rule is true, n8n takes output ${fallback}; here nothing runs.`;
      this.#importing.note('differs', { pointer: at, message, hint: 'write an `else` with the steps of that output' });
    }
  }

  #filter(filter: Json | undefined, pointer: string): string {
    if (dig(filter, 'options', 'caseSensitive') === false) this.#ignoresCase = true;
    const all = listOf(dig(filter, 'conditions')).map((one, i) => {
      const { leftValue, rightValue, operator } = mapOf(one);
      const operation = textOf(dig(operator, 'operation')) ?? 'equals';
      return this.#compared(operation, [leftValue, rightValue], childOf(childOf(pointer, 'conditions'), i));
    });
    return combined(all, mapOf(filter)['combinator'] === 'or' ? '||' : '&&');
  }

  #compared(operation: string, [left, right]: readonly [Json | undefined, Json | undefined], pointer: string): string {
    const compare = Object.hasOwn(comparisons, operation) ? comparisons[operation] : undefined;
    if (compare === undefined)
      return this.#importing.unmapped(operation, pointer, 'this comparison has no counterpart');
    const side = (value: Json | undefined): string => {
      const cel = operandOf(this.#importing, value, pointer, this.#names);
      return / [?+*/%&|-]/.test(cel) ? `(${cel})` : cel;
    };
    const sides = [side(left), side(right)] as const;
    const [one, other] = this.#ignoresCase && ofTexts.has(operation) ? sides.map(lowered) : sides;
    return compare(one ?? '', other ?? '');
  }
}

/** A text that is no number; anything else is compared as it is. */
const lowered = (cel: string): string => (/^(?:-?[\d.]+|true|false|null)$/.test(cel) ? cel : `lower(${cel})`);

const combined = (all: readonly string[], operator: string): string => {
  if (all.length === 0) return 'true';
  return all.length === 1
    ? (all[0] ?? 'true')
    : all.map((one) => (/ (?:\?|&&|\|\|) /.test(one) ? `(${one})` : one)).join(` ${operator} `);
};
