/** Limits the cost of a schema before it is compiled. Most schemas come from servers and are untrusted. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { limits } from '../limits.ts';
import { patternSize } from '../pattern/patternSize.ts';
import { childOf } from '../source/pointer.ts';
import { schemasIn } from './walk.ts';

const { bytes, depth, keywords, patternsSize } = limits.schema;

export interface SchemaRefusal {
  /** A sentence. */
  readonly why: string;
  /** The keyword that is too expensive; empty: the schema as a whole. */
  readonly pointer: string;
}

/** Undefined if the schema is accepted. */
export function refusalOf(schema: JsonSchema): SchemaRefusal | undefined {
  if (!isObject(schema)) return undefined;
  const tooLarge = largeness(schema);
  if (tooLarge !== undefined) return { why: tooLarge, pointer: '' };
  for (const { schema: inner, pointer } of schemasIn(schema)) {
    const refused = refusedKeyword(inner);
    if (refused !== undefined) return { why: refused[1], pointer: childOf(pointer, refused[0]) };
  }
  return undefined;
}

function largeness(schema: JsonObject): string | undefined {
  if (isNestedDeeper(schema, depth * 3)) return `It is nested more than ${depth} schemas deep.`;
  if (JSON.stringify(schema).length > bytes) return `It has more than ${bytes} characters.`;
  let count = 0;
  let patterns = 0;
  for (const place of schemasIn(schema)) {
    count += keywordsAt(place.schema);
    patterns += patternsIn(place.schema).reduce((sum, one) => sum + patternSize(one), 0);
    if (patterns > patternsSize) return 'Its regular expressions are together too large.';
    if (place.depth > depth) return `It is nested more than ${depth} schemas deep.`;
    if (count > keywords) return `It has more than ${keywords} keywords, or keywords that take as much.`;
  }
  return undefined;
}

/** The cost of a schema, in units of the cheapest keyword. */
const keywordsAt = (schema: JsonObject): number =>
  Object.keys(schema).length + extraIn(schema) + dependenciesIn(schema);

/** The cost of compiling a validator, in units of a validation. */
export function compileCost(schema: JsonSchema): number {
  return [...schemasIn(schema)].reduce((sum, place) => sum + keywordsAt(place.schema), 0) * unitsPerKeyword;
}

/** Some 80 microseconds. */
const unitsPerKeyword = 4_000;

/** Measured costs of keywords that compile to a function, to branches, or to a loop over keys. */
function extraIn({ $ref, oneOf, propertyNames, type }: JsonObject): number {
  const reference = $ref === undefined ? 0 : 2;
  const branches = Array.isArray(oneOf) ? 3 * oneOf.length : 0;
  const names = propertyNames === undefined ? 0 : 3;
  const types = Array.isArray(type) ? type.length / 2 : 0;
  return reference + branches + names + types;
}

/** Each compiles to several checks. */
const keywordsPerDependency = 3;

function dependenciesIn({ dependentRequired, dependencies }: JsonObject): number {
  const lists = [dependentRequired, dependencies].filter(isObject).flatMap((one) => Object.values(one));
  return lists.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length * keywordsPerDependency : 0), 0);
}

const patternsIn = ({ pattern, patternProperties }: JsonObject): readonly string[] => [
  ...(typeof pattern === 'string' ? [pattern] : []),
  ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
];

/** A refused keyword, with the reason. */
function refusedKeyword(schema: JsonObject): readonly [string, string] | undefined {
  const { $ref } = schema;
  if (typeof $ref === 'string' && !$ref.startsWith('#'))
    return ['$ref', 'It refers to a schema elsewhere, which is never fetched.'];
  const dynamic = ['$dynamicRef', '$recursiveRef'].find((keyword) => keyword in schema);
  return dynamic === undefined ? undefined : [dynamic, 'It has dynamic references.'];
}

/** Uses a stack of its own, because recursion could exhaust the call stack. */
export function isNestedDeeper(value: Json, most: number): boolean {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one.value !== 'object' || one.value === null) continue;
    if (one.depth > most) return true;
    for (const inner of Object.values<Json>(one.value)) open.push({ value: inner, depth: one.depth + 1 });
  }
  return false;
}
