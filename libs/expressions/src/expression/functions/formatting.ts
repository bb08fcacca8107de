/** Functions that join, pad, format and parse texts. */
import { limits } from '../../limits.ts';
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { toJsonValue, toText } from '../result.ts';
import { text } from '../type.ts';
import { type Value, isList } from '../value.ts';
import { fixedText } from './decimal.ts';
import { asText, scalarText } from './scalarText.ts';

const textArgument = { name: 'text', kinds: ['text'] } as const;

function padStart({ e, node, args }: FunctionCall): Value {
  const [value, fill] = [scalarText(args[0] ?? null) ?? '', args[2] === undefined ? ' ' : asText(args[2])];
  const length = Number(args[1]);
  if (!Number.isInteger(length) || Array.from(fill).length !== 1) {
    return e.fail(node, () => 'padStart takes a whole length, and one character to fill with');
  }
  const missing = Math.max(0, length - Array.from(value).length);
  e.roomForText(value.length + missing * fill.length);
  return fill.repeat(missing) + value;
}

function urlEncode({ e, node, args }: FunctionCall): Value {
  const value = asText(args[0]);
  e.roomForText(value.length * 3);
  try {
    return encodeURIComponent(value);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return e.fail(node, () => 'the text holds half a character, which no address can');
  }
}

function urlDecode({ e, node, args }: FunctionCall): Value {
  const value = asText(args[0]);
  e.roomForText(value.length);
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return e.fail(node, () => `${describeValue(value)} has a percent sign that escapes no UTF-8`);
  }
}

function base64Decode({ e, node, args }: FunctionCall): Value {
  const value = asText(args[0]);
  e.roomForText(value.length);
  try {
    const bytes = Uint8Array.from(atob(value.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
    return e.fail(node, () => 'the text is not base64 of UTF-8');
  }
}

const clause = /%(?:%|(?:\.(\d{1,2}))?([sdfx]))/g;

/** CEL's `format`: `%s`, `%d`, `%x`, `%f` and `%.2f`, and `%%`. */
function format(call: FunctionCall): Value {
  const { e, node, args } = call;
  const [pattern, items] = [asText(args[0]), isList(args[1] ?? null) ? (args[1] as readonly Value[]) : []];
  e.chargeText(pattern.length);
  let used = 0;
  let length = pattern.length;
  const made = pattern.replace(clause, (found: string, places: string | undefined, kind: string | undefined) => {
    if (kind === undefined) return '%';
    const value = items[used++];
    if (value === undefined) return e.fail(node, () => `${found} has no value: the list has ${items.length}`);
    const one = formatted(call, kind, value, places);
    length += one.length;
    e.roomForText(length);
    return one;
  });
  if (used < items.length) return e.fail(node, () => `the text takes ${used} values, and the list has ${items.length}`);
  return made;
}

function formatted({ e, node }: FunctionCall, kind: string, value: Value, places: string | undefined): string {
  if (kind === 's')
    return scalarText(value) ?? toText(e, toJsonValue(e, value, node), limits.expression.textCharacters);
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    return e.fail(node, () => `%${kind} takes a number, and here is ${describeValue(value)}`);
  }
  if (kind === 'f') return fixedText(value, Math.min(Number(places ?? 6), 20));
  return isWhole ? BigInt(value).toString(kind === 'x' ? 16 : 10) : e.fail(node, () => `%${kind} takes a whole number`);
}

export const formattingFunctions: readonly FunctionSpec[] = [
  {
    name: 'format',
    parameters: [textArgument, { name: 'list', kinds: ['list'] }],
    returns: text,
    about: 'The text with its `%s`, `%d`, `%x`, `%f` and `%.2f` filled from the list; `%%` is a percent sign.',
    run: format,
  },
  {
    name: 'padStart',
    parameters: [
      { name: 'value', kinds: ['text', 'number'] },
      { name: 'length', kinds: ['number'] },
      { name: 'fill', kinds: ['text'], isOptional: true },
    ],
    returns: text,
    about: 'Fills up from the left to the length; with spaces if there is no `fill`.',
    run: padStart,
  },
  {
    name: 'urlEncode',
    parameters: [textArgument],
    returns: text,
    about: "Escapes a part of a URL: everything but letters, digits and `-_.!~*'()`.",
    run: urlEncode,
  },
  {
    name: 'urlDecode',
    parameters: [textArgument],
    returns: text,
    about: 'Reads what `urlEncode` escapes. In a form a plus is a space: `replace(x, "+", " ")` first.',
    run: urlDecode,
  },
  {
    name: 'base64Decode',
    parameters: [textArgument],
    returns: text,
    about: 'Decodes a UTF-8 text, and fails if the bytes are not UTF-8.',
    run: base64Decode,
  },
];
