/** Texts for machines: JSON, base64, patterns. */
import { parseExactly, type Json } from '@baton/primitives';

import { isNestedTooDeep } from '../../json/jsonText.ts';
import { hasDuplicateKey } from '../../json/readJson.ts';
import { limits } from '../../limits.ts';
import { compileCost, compilePattern, searchCost } from '../../pattern/pattern.ts';
import { describeValue } from '../describeValue.ts';
import { BudgetSpent } from '../evaluation.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import type { ExpressionNode } from '../parse.ts';
import { toJsonValue, measureSize } from '../result.ts';
import { any, boolean, text } from '../type.ts';
import { type Value, isList, isMap } from '../value.ts';
import { asText } from './scalarText.ts';

const textOrBytes = { name: 'value', kinds: ['text', 'bytes'] } as const;

/** A digest takes some microseconds, and then ten nanoseconds a byte. */
const digestCost = 100;

/** Of a text, its UTF-8. */
export function bytesOf({ e }: Pick<FunctionCall, 'e'>, value: Value | undefined): Uint8Array {
  const length = value instanceof Uint8Array ? value.length : asText(value).length * 3;
  e.charge(digestCost + length / 8);
  return value instanceof Uint8Array ? value : new TextEncoder().encode(asText(value));
}

const chunkBytes = 0x2000;

/** The text is written twice and read twice. */
const bytesPerUnit = 6;

export function base64(bytes: Uint8Array): string {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, i) =>
    String.fromCharCode(...bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes)),
  );
  return btoa(chunks.join(''));
}

function json({ e, node, args }: FunctionCall): Value {
  const value = toJsonValue(e, args[0] ?? null, node);
  e.roomForText(measureSize(e, value, limits.expression.textCharacters));
  return JSON.stringify(value);
}

function fromJson({ e, node, args }: FunctionCall): Value {
  const source = asText(args[0]);
  e.charge(source.length / 4);
  if (isNestedTooDeep(source, limits.document.depth)) return e.fail(node, () => 'the JSON text is nested too deep');
  let value: Json;
  try {
    value = parseExactly(source) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return e.fail(node, () => `${describeValue(source)} is not JSON`);
  }
  refuseForbiddenKeys({ e, node, args }, value);
  if (hasDuplicateKey(source, value)) return e.fail(node, () => 'an object of the JSON text has a key twice');
  return value;
}

function refuseForbiddenKeys(call: FunctionCall, value: Value): void {
  call.e.charge(1);
  if (isList(value)) for (const item of value) refuseForbiddenKeys(call, item);
  if (!isMap(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') call.e.fail(call.node, () => 'the JSON text has a key that is not allowed');
    refuseForbiddenKeys(call, item);
  }
}

/** A literal pattern is compiled before the run. */
export function literalPattern(node: ExpressionNode): string | undefined {
  const pattern = patternOf(node);
  return pattern?.op === 'value' && typeof pattern.args === 'string' ? pattern.args : undefined;
}

/** `p` of `matches(text, p)` and of `text.matches(p)`. */
function patternOf(node: ExpressionNode): ExpressionNode | undefined {
  if (node.op === 'call') return node.args[1][1];
  return node.op === 'rcall' ? node.args[2][0] : undefined;
}

function patternProblem(node: ExpressionNode): string | undefined {
  const pattern = literalPattern(node);
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}

function matches({ e, node, args }: FunctionCall): Value {
  const [value, pattern] = [asText(args[0]), asText(args[1])];
  if (literalPattern(node) === undefined) e.charge(compileCost(pattern));
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') return e.fail(node, () => compiled);
  e.charge(searchCost(compiled, value.length));
  if (value.length > limits.expression.textCharacters) throw new BudgetSpent('it searches a text that is too long');
  return compiled.test(value);
}

export const encodingFunctions: readonly FunctionSpec[] = [
  { name: 'json', parameters: [{ name: 'value' }], returns: text, about: 'Writes a value as JSON.', run: json },
  {
    name: 'fromJson',
    parameters: [{ name: 'text', kinds: ['text'] }],
    returns: any,
    about:
      'Reads JSON. A key that stands there twice is an error; integers beyond 2^53 stay texts, as in the answer of a tool.',
    run: fromJson,
  },
  {
    name: 'base64',
    parameters: [textOrBytes],
    returns: text,
    about: 'Encodes a text, as UTF-8, or bytes.',
    run: (call) => {
      const bytes = bytesOf(call, call.args[0]);
      call.e.charge(bytes.length / bytesPerUnit);
      return base64(bytes);
    },
  },
  {
    name: 'matches',
    parameters: [
      { name: 'text', kinds: ['text'] },
      { name: 'pattern', kinds: ['text'] },
    ],
    returns: boolean,
    about: 'Whether the text contains the pattern (RE2). Takes time linear in the text.',
    problem: patternProblem,
    problemCode: 'invalid-pattern',
    run: matches,
  },
];
