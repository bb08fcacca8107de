/** Converts nodes to JSON. Reports values that JSON cannot hold, and forbidden keys. */
import { limits, quoted, childOf, type Source, type Span } from '@baton/expressions';
import { isDecimalKept, isStorableText, type Json } from '@baton/primitives';
import { type Node, type Pair, type ParsedNode, type Scalar, isMap, isScalar, isSeq } from 'yaml';

import type { Problem, ProblemReporter } from '../problem.ts';

export interface JsonReading {
  readonly source: Source;
  readonly mended: ReadonlyMap<number, Span>;
  /** Its texts and keys are no author's: each that JSON can hold is right. */
  readonly isData?: boolean;
  readonly report: ProblemReporter;
  /** Reports keys in `{ }` without `:` and value. */
  readonly reportBare: ProblemReporter;
}

const forbiddenKeys = new Set(['__proto__', 'prototype', 'constructor']);

export function toJson(reading: JsonReading, node: ParsedNode | null, pointer = ''): Json {
  if (isMap(node)) {
    if (node.flow === true) reportBareKeys(reading, node.items, pointer);
    return mapToJson(reading, node.items, pointer);
  }
  if (isSeq(node)) return node.items.map((item, i) => toJson(reading, item, childOf(pointer, i)));
  return isScalar(node) ? scalarToJson(reading, node, pointer) : null;
}

export const spanOf = (node: Node): Span => [node.range?.[0] ?? 0, node.range?.[1] ?? 0];

export const keyOf = (pair: Pair<Node, Node | null>): string =>
  isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : '';

function mapToJson(reading: JsonReading, items: readonly Pair<Node, ParsedNode | null>[], pointer: string): Json {
  const seen = new Map<string, Node>();
  const entries: [string, Json][] = [];
  if (items.length > limits.document.keysPerMap) reading.report(tooManyKeys(items, pointer));
  for (const pair of items.slice(0, limits.document.keysPerMap)) {
    const key = keyOf(pair);
    const wrong = wrongKey(reading, pair.key, key, seen, pointer);
    if (wrong === undefined) {
      seen.set(key, pair.key);
      entries.push([key, toJson(reading, pair.value, childOf(pointer, key))]);
    } else {
      reading.report({ ...wrong, span: spanOf(pair.key) });
    }
  }
  return Object.fromEntries(entries);
}

function wrongKey(
  { source, isData = false }: JsonReading,
  node: Node,
  key: string,
  seen: ReadonlyMap<string, Node>,
  parent: string,
): Problem | undefined {
  const pointer = childOf(parent, key);
  if (!isScalar(node)) return undefined;
  const first = seen.get(key);
  if (first !== undefined) {
    const { line } = source.position(spanOf(first)[0]);
    return {
      code: 'duplicate-key',
      pointer,
      message: `The key ${quoted(key)} stands here twice, first on line ${line}.`,
    };
  }
  if (isData) return undefined;
  if (key === '<<') {
    return { code: 'yaml-merge', pointer, message: 'Merge keys (`<<`) are not allowed.', hint: 'write the keys out' };
  }
  if (forbiddenKeys.has(key)) {
    return { code: 'forbidden-key', pointer, message: `The key ${quoted(key)} is not allowed anywhere.` };
  }
  return wrongText(key, pointer);
}

function scalarToJson(reading: JsonReading, node: Scalar, pointer: string): Json {
  const span = spanOf(node);
  const mended = reading.mended.get(span[0]);
  if (mended !== undefined) return reading.source.text.slice(...mended);
  const wrong = typeof node.value === 'string' ? wrongString(reading, node.value, pointer) : wrongNumber(node, pointer);
  if (wrong !== undefined) reading.report({ ...wrong, span });
  else reportSpelling(reading, node, pointer, span);
  const { value } = node;
  if (typeof value === 'string') return wrong === undefined ? value : '';
  if (typeof value === 'bigint') return wrong === undefined ? Number(value) : 0;
  if (typeof value === 'number') return wrong === undefined ? value : 0;
  return typeof value === 'boolean' ? value : null;
}

const wrongString = ({ isData = false }: JsonReading, text: string, pointer: string): Problem | undefined =>
  isData ? undefined : wrongText(text, pointer);

function wrongText(text: string, pointer: string): Problem | undefined {
  if (isStorableText(text)) return undefined;
  const message = 'A text holds a NUL or half a surrogate pair, which no store takes.';
  return { code: 'invalid-text', pointer, message };
}

function wrongNumber({ value, source = '' }: Scalar, pointer: string): Problem | undefined {
  const isRounded =
    typeof value === 'bigint'
      ? !Number.isSafeInteger(Number(value))
      : typeof value === 'number' && Number.isFinite(value) && !isDecimalKept(source);
  if (isRounded) {
    const message = 'This number is too large to be kept exactly.';
    return {
      code: 'number-too-large',
      pointer,
      message,
      expected: `at most ${Number.MAX_SAFE_INTEGER}`,
      hint: 'put quotes around it to keep it as text',
    };
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { code: 'number-not-finite', pointer, message: 'JSON has no such number.', expected: 'a finite number' };
  }
  return undefined;
}

/** Values that go to a server or into a result, where a text may have been meant. */
const passedOn = /\/(?:with|set|outputs|collect|onExpire)(?:\/|$)|^\/on\/\d+\/inputs\//;

/** A zero before the number, or at the end of its decimals: a postal code, a telephone number, a version. */
const lostZero = /^[-+]?0\d|\.\d*0$/;

/** YAML drops such zeros without a word. JSON has none before a number, and programs write `1.0`. */
function reportSpelling(
  { source, report }: JsonReading,
  { value, source: written = '' }: Scalar,
  pointer: string,
  span: Span,
): void {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber || !lostZero.test(written) || !passedOn.test(pointer) || /^\s*\{/.test(source.text)) return;
  const message = `YAML reads this as the number ${String(value)}, without the zero.`;
  report({
    code: 'number-spelling',
    pointer,
    span,
    message,
    found: written,
    hint: `write "${written}" for the text, ${String(value)} for the number`,
  });
}

function reportBareKeys(
  { reportBare }: JsonReading,
  items: readonly Pair<Node, ParsedNode | null>[],
  pointer: string,
): void {
  for (const pair of items.slice(0, limits.document.keysPerMap)) {
    const key = keyOf(pair);
    if (pair.value === null && key !== '') reportBare(bareKey(key, childOf(pointer, key), spanOf(pair.key)));
  }
}

const bareKey = (key: string, pointer: string, span: Span): Problem => ({
  code: 'key-without-value',
  pointer,
  at: 'key',
  span,
  message: `${quoted(key)} is a key without a value: inside \`{ }\` a comma ends the text before it.`,
  hint: 'put quotes around a text with a comma',
});

function tooManyKeys(items: readonly Pair<Node>[], pointer: string): Problem {
  const { keysPerMap } = limits.document;
  const one = items[keysPerMap]?.key;
  return {
    code: 'too-large',
    pointer,
    ...(one === undefined ? {} : { span: spanOf(one) }),
    message: `A map has ${items.length} keys; ${keysPerMap} is the most.`,
  };
}
