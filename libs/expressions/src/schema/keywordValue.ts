/** Values of the keywords of JSON Schema that hold no schemas, as servers write them. */
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { quoted } from '../source/excerpt.ts';
import { either } from '../source/nearest.ts';
import { typeNames } from './vocabulary.ts';

export type KeywordReading =
  | { readonly value: Json }
  /** `isSilent`: no value is refused for lack of it. */
  | { readonly why: string; readonly isSilent?: boolean }
  /** It says nothing. */
  | undefined;

type Reader = (value: Json) => KeywordReading;

const asIt: Reader = (value) => ({ value });

const text: Reader = (value) => (typeof value === 'string' ? { value } : { why: 'It takes a text.' });
const flag: Reader = (value) => (typeof value === 'boolean' ? { value } : { why: 'It takes true or false.' });
const silently =
  (read: Reader): Reader =>
  (value) => {
    const found = read(value);
    return found !== undefined && 'why' in found ? { ...found, isSilent: true } : found;
  };

/** Also of digits: what JavaScript does not hold exactly arrives as a text. */
function numberIn(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : undefined;
}

/** `open`: the end beyond which the bound excludes nothing. */
const bound =
  (open: number): Reader =>
  (value) => {
    const number = numberIn(value);
    if (number === undefined) return { why: 'It takes a number.' };
    if (Number.isFinite(number)) return { value: number };
    return number === open ? undefined : { why: 'Its number is too large.' };
  };

const step: Reader = (value) => {
  const number = numberIn(value);
  return number !== undefined && number > 0 && Number.isFinite(number)
    ? { value: number }
    : { why: 'It takes a number above 0.' };
};

const count: Reader = (value) => {
  const number = numberIn(value);
  if (number === Number.POSITIVE_INFINITY) return undefined;
  return number !== undefined && number >= 0 && Number.isInteger(number)
    ? { value: number }
    : { why: 'It takes a whole number from 0 on.' };
};

const anchor: Reader = (value) =>
  typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) ? { value } : { why: 'It takes a name.' };

/** A name of its own for an inner schema was an id that begins with `#` in draft-07. */
const id: Reader = (value) =>
  typeof value === 'string' && /^[^#]*#?$/.test(value) ? { value } : { why: 'It takes an address.' };

const values: Reader = (value) => {
  if (!Array.isArray(value) || value.length === 0) return { why: 'It takes a list of values.' };
  const texts = new Set<string>();
  return { value: value.filter((one: Json) => texts.size < texts.add(JSON.stringify(one)).size) };
};

/** Each once; undefined if it is no list of texts. */
export function namesIn(value: Json): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one: Json) => typeof one === 'string')
    ? [...new Set<string>(value as readonly string[])]
    : undefined;
}

const names: Reader = (value) => {
  const found = namesIn(value);
  return found === undefined ? { why: 'It takes a list of names.' } : { value: found };
};

const namesByKey: Reader = (value) => {
  if (Array.isArray(value) && value.length === 0) return undefined;
  const lists = isObject(value) ? Object.entries(value).map(([key, one]) => [key, namesIn(one)] as const) : [];
  const isRight = isObject(value) && lists.every(([, list]) => list !== undefined);
  return isRight ? { value: Object.fromEntries(lists) as JsonObject } : { why: 'It takes lists of names by key.' };
};

const type: Reader = (value) => {
  const all = [value].flat() as readonly Json[];
  const wrong = all.find((one) => !(typeNames as readonly Json[]).includes(one));
  if (wrong !== undefined) {
    const named = typeof wrong === 'string' ? quoted(wrong) : JSON.stringify(wrong).slice(0, 40);
    return { why: `There is no type ${named}; there are ${either(typeNames)}.` };
  }
  if (all.length === 0) return { why: 'It names no type.' };
  return { value: Array.isArray(value) ? [...new Set(all)] : value };
};

const readers: Readonly<Record<string, Reader>> = {
  type,
  enum: values,
  required: names,
  dependentRequired: namesByKey,
  minimum: bound(Number.NEGATIVE_INFINITY),
  exclusiveMinimum: bound(Number.NEGATIVE_INFINITY),
  maximum: bound(Number.POSITIVE_INFINITY),
  exclusiveMaximum: bound(Number.POSITIVE_INFINITY),
  multipleOf: step,
  uniqueItems: flag,
  $id: silently(id),
  $anchor: silently(anchor),
  $dynamicAnchor: silently(anchor),
  ...Object.fromEntries(
    [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ].map((keyword) => [keyword, count]),
  ),
  ...Object.fromEntries(
    ['$ref', '$dynamicRef', '$recursiveRef', 'pattern', 'format'].map((keyword) => [keyword, text]),
  ),
  ...Object.fromEntries(
    ['$schema', '$comment', 'title', 'description', 'contentEncoding', 'contentMediaType'].map((keyword) => [
      keyword,
      silently(text),
    ]),
  ),
  ...Object.fromEntries(
    ['deprecated', 'readOnly', 'writeOnly', 'nullable'].map((keyword) => [keyword, silently(flag)]),
  ),
  enumNames: silently(names),
  examples: silently((value) => (Array.isArray(value) ? { value } : { why: 'It takes a list.' })),
};

/** Of a keyword that JSON Schema does not know, the value as it is. */
export function readKeyword(keyword: string, value: Json): KeywordReading {
  return (Object.hasOwn(readers, keyword) ? (readers[keyword] ?? asIt) : asIt)(value);
}
