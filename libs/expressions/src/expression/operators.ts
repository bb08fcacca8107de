/** `+ - * / %`, comparisons, equality and membership, on numbers of both kinds and on everything else CEL compares. */
import { nullHint } from './access.ts';
import { describeValue } from './describeValue.ts';
import { type Evaluation, BudgetSpent } from './evaluation.ts';
import { isInstant, isPeriod } from './functions/parseTime.ts';
import type { ExpressionNode } from './parse.ts';
import { type Value, Instant, isList, isMap, KindValue, Maybe, Period } from './value.ts';

export type Arithmetic = '+' | '-' | '*' | '/' | '%';
export type Comparison = '<' | '<=' | '>' | '>=';

export function calculate(e: Evaluation, node: ExpressionNode, op: Arithmetic, a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return integers(e, node, op, a, b);
  if (isNumber(a) && isNumber(b)) return doubles(e, node, op, Number(a), Number(b));
  const joined = op === '+' ? concatenated(e, a, b) : undefined;
  const moved = joined ?? (op === '+' || op === '-' ? timed(e, node, op, a, b) : undefined);
  const hint = a === null || b === null ? nullHint : undefined;
  return moved ?? e.fail(node, () => `\`${op}\` cannot work on ${pair(a, b)}${asText(op, a, b)}`, hint);
}

const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

const pair = (a: Value, b: Value): string => `${describeValue(a)} and ${describeValue(b)}`;

const asText = (op: string, a: Value, b: Value): string =>
  op === '+' && (typeof a === 'string' || typeof b === 'string') ? '; `string(…)` makes a text of a number' : '';

const integerArithmetic: Readonly<Record<Arithmetic, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

const doubleArithmetic: Readonly<Record<Arithmetic, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

function integers(e: Evaluation, node: ExpressionNode, op: Arithmetic, a: bigint, b: bigint): bigint {
  if ((op === '/' || op === '%') && b === 0n) return e.fail(node, () => 'division by zero');
  const result = integerArithmetic[op](a, b);
  return BigInt.asIntN(64, result) === result ? result : e.fail(node, () => 'the integer does not fit 64 bits');
}

function doubles(e: Evaluation, node: ExpressionNode, op: Arithmetic, a: number, b: number): number {
  const areWhole = Number.isSafeInteger(a) && Number.isSafeInteger(b);
  if ((op === '/' || op === '%') && b === 0) return e.fail(node, () => 'division by zero');
  if (op === '%' && !areWhole) return e.fail(node, () => '`%` takes integers only');
  const result = doubleArithmetic[op](a, b);
  if (areWhole && op !== '/' && !Number.isSafeInteger(result)) {
    return e.fail(node, () => 'the integer is beyond 2^53, where JSON numbers are no longer exact');
  }
  return Number.isFinite(result) ? result : e.fail(node, () => 'the number is too large');
}

function concatenated(e: Evaluation, a: Value, b: Value): Value | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    e.roomForText(a.length + b.length);
    return a + b;
  }
  if (isList(a) && isList(b)) {
    e.charge(a.length + b.length);
    return e.list([...a, ...b]);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    e.roomForText(a.length + b.length);
    const joined = new Uint8Array(a.length + b.length);
    joined.set(a);
    joined.set(b, a.length);
    return joined;
  }
  return undefined;
}

function timed(e: Evaluation, node: ExpressionNode, op: '+' | '-', a: Value, b: Value): Value | undefined {
  const sign = op === '+' ? 1 : -1;
  const moved = (ms: number): Instant =>
    isInstant(ms) ? new Instant(ms) : e.fail(node, () => 'the time lies outside the years 1 to 9999');
  const lasting = (ms: number): Period =>
    isPeriod(ms) ? new Period(ms) : e.fail(node, () => 'the length of time is beyond 10,000 years');
  if (a instanceof Instant && b instanceof Period) return moved(a.ms + sign * b.ms);
  if (a instanceof Period && b instanceof Period) return lasting(a.ms + sign * b.ms);
  if (op === '+' && a instanceof Period && b instanceof Instant) return moved(a.ms + b.ms);
  return op === '-' && a instanceof Instant && b instanceof Instant ? lasting(a.ms - b.ms) : undefined;
}

export function compare(e: Evaluation, node: ExpressionNode, op: Comparison, a: Value, b: Value): boolean {
  const order = ordered(e, node, a, b);
  switch (op) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Negative, zero or positive; fails if the values have no order. */
export function ordered(e: Evaluation, node: ExpressionNode, a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') {
    e.chargeText(Math.min(a.length, b.length));
    return orderOf(a, b);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    e.chargeText(Math.min(a.length, b.length));
    return orderOfBytes(a, b);
  }
  const isTime = (a instanceof Instant && b instanceof Instant) || (a instanceof Period && b instanceof Period);
  const areComparable = (isNumber(a) && isNumber(b)) || (typeof a === 'boolean' && typeof b === 'boolean');
  if (isTime) return a.ms - b.ms;
  if (areComparable) return orderOf(a, b);
  return e.fail(node, () => `there is no order between ${describeValue(a)} and ${describeValue(b)}`);
}

function orderOf<Of extends string | number | bigint | boolean>(a: Of, b: Of): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function orderOfBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

const depthMax = 200;
const comparedPerUnit = 1_024;

export function equals(e: Evaluation, a: Value, b: Value, depth = 0): boolean {
  // Comparing equal texts reads them to the end, too.
  const isLong = typeof a === 'string' && typeof b === 'string' && a.length === b.length;
  e.charge(1 + (isLong ? a.length / comparedPerUnit : 0));
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) {
    // oxlint-disable-next-line eqeqeq
    return a == b;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth > depthMax) throw new BudgetSpent('it compares values that are nested too deep');
  return objectsEqual(e, a, b, depth + 1);
}

function objectsEqual(e: Evaluation, a: Extract<Value, object>, b: Extract<Value, object>, depth: number): boolean {
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, i) => equals(e, item, b[i] ?? null, depth));
  if (a instanceof Instant) return b instanceof Instant && a.ms === b.ms;
  if (a instanceof Period) return b instanceof Period && a.ms === b.ms;
  if (a instanceof KindValue) return b instanceof KindValue && a.name === b.name;
  if (a instanceof Maybe) {
    if (!(b instanceof Maybe) || (a.value === undefined) !== (b.value === undefined)) return false;
    return a.value === undefined || equals(e, a.value, b.value ?? null, depth);
  }
  if (a instanceof Uint8Array) {
    e.chargeText(a.length);
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, i) => byte === b[i]);
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = e.keysOf(a);
  if (keys.length !== e.keysOf(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equals(e, a[key] ?? null, b[key] ?? null, depth));
}

export function isIn(e: Evaluation, node: ExpressionNode, item: Value, within: Value): boolean {
  if (isList(within)) return within.some((one) => equals(e, item, one));
  if (isMap(within)) return typeof item === 'string' && Object.hasOwn(within, item);
  return e.fail(node, () => `\`in\` looks into lists and maps, not into ${describeValue(within)}`);
}
