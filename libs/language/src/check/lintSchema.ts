/** Reports mistakes in a schema of a workflow, at their places. */
import {
  quoted,
  kindOf,
  nearest,
  segmentsOf,
  type MetaError,
  didYouMean,
  either,
  childOf,
  metaErrors,
  compilePattern,
  refusalOf,
  validator,
  typeNames,
  typeSlips,
  vocabulary,
  schemasIn,
  schemaOf,
  writtenPointer,
} from '@baton/expressions';
import { defined, isObject, type Json, type JsonObject } from '@baton/primitives';

import { type Mutable, type MutableMap, at as valueAt } from '../document/tree.ts';
import { mismatch } from '../fit/mismatch.ts';
import type { ProblemReporter } from '../problem.ts';

/** Reports nothing for a usable schema. */
export function lintSchema(written: JsonObject, pointer: string, report: ProblemReporter): void {
  const meant = schemaOf(written);
  const refusal = refusalOf(meant);
  if (refusal?.pointer === '') {
    report({ code: 'schema-refused', pointer, at: 'key', message: `This schema cannot be used. ${refusal.why}` });
    return;
  }
  const at = (place: string): string => pointer + writtenPointer(written, place);
  const mends = new Map<string, Json | undefined>();
  const linting: Linting = { at, report, mends };
  for (const { schema, pointer: place } of schemasIn(meant)) lintOne(linting, schema, place);
  if (refusal !== undefined) {
    const message = `This schema cannot be used. ${refusal.why}`;
    report({ code: 'schema-refused', pointer: at(refusal.pointer), message });
  }
  if (!isObject(meant)) return;
  const named = mended(meant, mends);
  for (const error of metaErrors(named)) lintValue(linting, named, error);
  if (refusal !== undefined) return;
  const sound = mended(named, mends);
  const unusable = validator(sound);
  if (unusable.refusal === undefined) return lintDefaults(sound, linting);
  const { refusal: reason, missingRef } = unusable;
  const lost = [...schemasIn(sound)].find(({ schema: { $ref } }) => $ref !== undefined && $ref === missingRef);
  // Another reason may follow from what is reported already.
  if (lost === undefined && mends.size > 0) return;
  const where = lost === undefined ? ({ pointer, at: 'key' } as const) : { pointer: at(childOf(lost.pointer, '$ref')) };
  report({ code: 'schema-refused', ...where, message: `This schema cannot be used. ${reason}` });
}

interface Linting {
  /** The pointer into the file of one into the schema. */
  readonly at: (place: string) => string;
  readonly report: ProblemReporter;
  /**
   * By place in the schema: what is read instead of a mistake, so that it hides no other; undefined: nothing.
   */
  readonly mends: Map<string, Json | undefined>;
}

/** A copy. */
function mended(schema: JsonObject, mends: Linting['mends']): JsonObject {
  const copy = structuredClone(schema) as MutableMap;
  for (const [place, value] of mends) {
    const segments = segmentsOf(place);
    const key = segments.pop() ?? '';
    const owner = valueAt(copy, segments);
    if (Array.isArray(owner)) owner[Number(key)] = (value ?? true) as Mutable;
    else if (isObject(owner) && value === undefined) delete owner[key];
    else if (isObject(owner)) owner[key] = value as Mutable;
  }
  return copy;
}

/** A value that its keyword does not take. */
function lintValue({ at, report, mends }: Linting, schema: JsonObject, { pointer, ...error }: MetaError): void {
  const { message, expected, types, hint } = error;
  const value = valueAt(schema as MutableMap, segmentsOf(pointer)) as Json | undefined;
  const told = { code: 'schema-invalid', pointer: at(pointer) } as const;
  if (types?.join() === schemaTypes) {
    const type = meantType(value);
    mends.set(pointer, type === undefined ? undefined : { type });
    report({
      ...told,
      message: `${subjectOf(pointer)} needs a schema, and here is ${kindOf(value)}.`,
      expected: 'a schema such as { type: string }',
      hint: type === undefined ? undefined : `{ type: ${type} }`,
    });
    return;
  }
  mends.set(ownKeyword(pointer, schema), undefined);
  const isFlag = pointer.endsWith('/required') && types?.join() === 'array';
  const ofFlag = 'a property is required as it is, unless it has `optional: true` or a default';
  report({ ...told, message, ...defined({ expected }), hint: isFlag ? ofFlag : hint });
}

/** What a schema can be. */
const schemaTypes = 'object,boolean';

function subjectOf(pointer: string): string {
  const segments = segmentsOf(pointer);
  const [keyword = '', name = ''] = segments.slice(-2);
  if (keyword === 'properties') return `The property ${quoted(name)}`;
  return vocabulary.get(keyword) === 'schemas' ? `Item ${Number(name) + 1} of ${quoted(keyword)}` : quoted(name);
}

/** Of a value inside a keyword's, such as an item of `required`, the keyword. */
function ownKeyword(pointer: string, schema: JsonObject): string {
  const places = [...schemasIn(schema)].map((one) => one.pointer).toReversed();
  const inner = places.find((place) => pointer.startsWith(`${place}/`)) ?? '';
  return childOf(inner, segmentsOf(pointer.slice(inner.length))[0] ?? '');
}

/** The type that a text in the place of a schema means. */
function meantType(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const type = typeSlips[value.toLowerCase()] ?? value;
  const [near, ...others] = isTypeName(type) ? [type] : nearest(type, typeNames);
  return others.length === 0 ? near : undefined;
}

const isTypeName = (name: string): boolean => (typeNames as readonly string[]).includes(name);

function lintOne(linting: Linting, schema: JsonObject, place: string): void {
  const { report, mends } = linting;
  const pointer = linting.at(place);
  for (const keyword of Object.keys(schema)) {
    if (vocabulary.has(keyword) || keyword.startsWith('x-')) continue;
    const isMisplaced = keyword === 'optional';
    mends.set(childOf(place, keyword), undefined);
    const [near, ...others] = nearest(keyword, vocabulary.keys());
    if (near !== undefined && others.length === 0 && !Object.hasOwn(schema, near))
      mends.set(childOf(place, near), schema[keyword]);
    report({
      code: 'schema-keyword',
      pointer: childOf(pointer, keyword),
      at: 'key',
      message: isMisplaced
        ? '`optional` belongs to the shorthand, where properties stand alone.'
        : `JSON Schema has no keyword ${quoted(keyword)}.`,
      found: keyword,
      hint: isMisplaced ? 'list the others under `required`' : nearestTo(keyword, schema[keyword]),
    });
  }
  lintType(linting, schema['type'], childOf(place, 'type'));
  const pattern = schema['pattern'];
  const compiled = typeof pattern === 'string' ? compilePattern(pattern) : undefined;
  if (typeof compiled === 'string') {
    const message = `${compiled.charAt(0).toUpperCase()}${compiled.slice(1)}.`;
    report({ code: 'invalid-pattern', pointer: childOf(pointer, 'pattern'), message });
    mends.set(childOf(place, 'pattern'), undefined);
  }
}

/** `count: integer` is rather a property than a misspelt `const`, and `typ: integer` rather a misspelt `type`. */
function nearestTo(keyword: string, value: Json | undefined): string | undefined {
  const near = didYouMean(keyword, vocabulary.keys());
  return near?.includes('"type"') === true ? near : (asProperty(keyword, value) ?? near);
}

/** A type in the place of a keyword's value is that of a property: `{ limit: integer }`. */
function asProperty(name: string, value: Json | undefined): string | undefined {
  const type = typeof value === 'string' ? (typeSlips[value] ?? value) : '';
  if (!isTypeName(type) || !/^[\w-]{1,40}$/.test(name)) return undefined;
  return `for an object with this property, write \`{ type: object, properties: { ${name}: { type: ${type} } } }\``;
}

function lintType({ at, report, mends }: Linting, type: Json | undefined, place: string): void {
  const wrong = [type].flat().find((one) => typeof one === 'string' && !isTypeName(one));
  if (typeof wrong !== 'string') return;
  mends.set(place, Array.isArray(type) ? undefined : meantType(wrong));
  const slip = typeSlips[wrong.toLowerCase()];
  report({
    code: 'schema-type',
    pointer: at(place),
    message: `JSON Schema has no type ${quoted(wrong)}.`,
    expected: either(typeNames),
    found: wrong,
    hint: slip === undefined ? didYouMean(wrong, typeNames) : `did you mean "${slip}"?`,
  });
}

function lintDefaults(meant: JsonObject, { at, report }: Linting): void {
  for (const { schema, pointer: place } of schemasIn(meant)) {
    const { default: given, ...rest } = schema;
    // Inside a schema, `#/$defs/…` refers to the whole schema.
    if (given === undefined || JSON.stringify(rest).includes('"$ref"')) continue;
    const [error] = validator(rest).validate?.(given) ?? [];
    if (error !== undefined) {
      const sentence = 'The default does not fit its own schema.';
      report({ code: 'default-invalid', ...mismatch(error, childOf(at(place), 'default'), sentence) });
    }
  }
}
