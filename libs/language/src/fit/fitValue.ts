/** Checks arguments against a schema: literal values exactly, computed ones by their type. */
import { isObject } from '@baton/primitives';

import type { Type } from '../expression/type.ts';
import * as types from '../expression/type.ts';
import type { Json, JsonObject, JsonSchema } from '../json.ts';
import type { ProblemReporter } from '../problem.ts';
import { reportMismatches } from '../schema/mismatch.ts';
import { refusalOf } from '../schema/schemaCost.ts';
import { validator } from '../schema/validator.ts';
import { quoted } from '../source/excerpt.ts';
import { didYouMean, either, nearest } from '../source/nearest.ts';
import { childOf } from '../source/pointer.ts';
import { subjectOf } from '../source/subject.ts';
import type { TypeFit } from './fitType.ts';
import { fitType, isPlainFit, validatorOf } from './fitType.ts';
import { choicesOf, isFurther, meant, namesOf, propertiesOf, requiredOf, wantedBy } from './schemaParts.ts';
import type { FitVerdict } from './verdict.ts';
import { allOf, anyOf, atBest } from './verdict.ts';

export interface GivenValue {
  /** As written, including expressions. */
  readonly value: Json;
  /** The place of the value; undefined: nothing is written. */
  readonly pointer: string | undefined;
  /** Types of computed values, by pointer. */
  readonly types: ReadonlyMap<string, Type>;
}

interface ValueFit extends TypeFit {
  readonly report: ProblemReporter;
  readonly types: ReadonlyMap<string, Type>;
  /** The place for findings about missing keys. */
  readonly missingAt: string;
  /** `The tool github/create_issue`. */
  readonly owner: string;
}

/** At most this many schemas are read for one call. */
const schemasMax = 2_000;
const compiledMax = 24;

/** `owner` is the receiver of the arguments, as the start of a sentence; `named` is the place that names it. */
export function fitArguments(
  report: ProblemReporter,
  given: GivenValue,
  schema: JsonSchema,
  { owner, named }: { readonly owner: string; readonly named: string },
): FitVerdict {
  if (refusalOf(schema) !== undefined) return 'assumed';
  const { value, pointer = named } = given;
  const missingAt = given.pointer === undefined ? named : pointer;
  const holding: ValueFit = {
    root: schema,
    budget: { left: schemasMax, compiled: compiledMax },
    report,
    types: given.types,
    missingAt,
    owner,
  };
  const verdict = hold(holding, value, pointer, schema);
  if (verdict === 'contradiction' || isComputed(value)) return verdict;
  return holdWhole(holding, value, pointer, schema);
}

const isComputed = (value: Json): boolean => JSON.stringify(value).includes('${{');

/** Includes rules that concern several values. */
function holdWhole({ report }: ValueFit, value: Json, pointer: string, schema: JsonSchema): FitVerdict {
  const { validate } = validator(schema);
  if (validate === undefined) return 'assumed';
  if (validate(value).length === 0) return 'proved';
  reportMismatches(report, schema, value, pointer, 'The arguments do not fit.');
  return 'contradiction';
}

function hold(holding: ValueFit, value: Json, pointer: string, written: Json | undefined): FitVerdict {
  if (written === undefined || written === true) return 'proved';
  const schema = meant(written, holding.root);
  if (schema === undefined || holding.budget.left-- <= 0) return 'assumed';
  const choices = choicesOf(schema);
  if (choices !== undefined) return holdChoices(holding, value, pointer, schema, choices);
  if (isObject(value)) return holdMap(holding, value, pointer, schema);
  if (Array.isArray(value)) return holdList(holding, value as readonly Json[], pointer, schema);
  const type = computedAt(holding, pointer);
  return type === undefined
    ? holdLiteral(holding, value, pointer, schema)
    : holdComputed(holding, type, pointer, schema);
}

/** The type of the computed value; a key whose value is none is left out. */
function computedAt({ types: computed }: ValueFit, pointer: string): Type | undefined {
  const type = computed.get(pointer);
  if (type === undefined) return undefined;
  const field = types.fieldOf(type);
  return 'kind' in field ? field : field.type;
}

const mayBeLeftOut = ({ types: computed }: ValueFit, pointer: string): boolean => {
  const type = computed.get(pointer);
  return type !== undefined && !('kind' in types.fieldOf(type));
};

function holdLiteral(holding: ValueFit, value: Json, pointer: string, schema: JsonObject): FitVerdict {
  if (isPlainFit(value, schema)) return 'proved';
  const whole = validatorOf(holding, schema);
  if (whole === undefined) return 'assumed';
  if (whole.validate(value).length === 0) return 'proved';
  reportMismatches(holding.report, whole.schema, value, pointer, `${subjectOf(pointer, 'The value')} does not fit.`);
  return 'contradiction';
}

function holdComputed(holding: ValueFit, type: Type, pointer: string, schema: JsonObject): FitVerdict {
  const verdict = fitType(holding, type, schema);
  if (verdict !== 'contradiction') return verdict;
  const [lacking] = type.kind === 'map' ? requiredOf(schema).filter((key) => !type.fields.has(key)) : [];
  if (lacking === undefined || (type.kind === 'map' && type.rest !== undefined)) {
    const [expected, found] = [wantedBy(schema, holding.root), foundOf(type)];
    const isSame = expected === found;
    const message = `${subjectOf(pointer, 'The value')} takes ${expected}, and this is ${isSame ? 'another' : found}.`;
    const isNumber = expected === 'a number' || expected === 'an integer';
    const hint = isNumber && type.kind === 'text' ? '`int(…)` makes a number of a text' : undefined;
    holding.report({ code: 'argument-type', pointer, message, expected, found, hint });
  } else {
    const message = `${subjectOf(pointer, 'The value')} needs the key ${quoted(lacking)}, and this has none.`;
    holding.report({ code: 'argument-type', pointer, message, expected: lacking });
  }
  return 'contradiction';
}

const valuesShown = 3;

function foundOf(type: Type): string {
  const values = types.valuesOf(type) ?? [];
  if (values.length === 0 || values.length > valuesShown) return types.describe(type);
  return either(values.map((value) => (typeof value === 'string' ? quoted(value) : JSON.stringify(value))));
}

/** Reported only if none of them can be meant. */
function holdChoices(
  holding: ValueFit,
  value: Json,
  pointer: string,
  schema: JsonObject,
  choices: readonly Json[],
): FitVerdict {
  const silent: ValueFit = { ...holding, report: () => undefined };
  const verdict = anyOf(choices.map((one) => hold(silent, value, pointer, one)));
  if (verdict !== 'contradiction') return atBest(verdict, !isFurther(schema, ['anyOf']));
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) return hold(holding, value, pointer, only);
  const type = computedAt(holding, pointer);
  if (type !== undefined) return holdComputed(holding, type, pointer, schema);
  const message = `${subjectOf(pointer, 'The value')} fits none of the alternatives.`;
  holding.report({ code: 'argument-type', pointer, message, expected: wantedBy(schema, holding.root) });
  return 'contradiction';
}

function isOther(holding: ValueFit, pointer: string, schema: JsonObject, name: 'object' | 'array'): boolean {
  const names = namesOf(schema);
  if (names.length === 0 || names.includes(name)) return false;
  const [expected, found] = [wantedBy(schema, holding.root), name === 'object' ? 'a map' : 'a list'];
  const message = `${subjectOf(pointer, 'The value')} takes ${expected}, and this is ${found}.`;
  holding.report({ code: 'argument-type', pointer, message, expected, found });
  return true;
}

function holdList(holding: ValueFit, value: readonly Json[], pointer: string, schema: JsonObject): FitVerdict {
  if (isOther(holding, pointer, schema, 'array')) return 'contradiction';
  const { items } = schema;
  const item = isObject(items) || typeof items === 'boolean' ? items : undefined;
  const each = value.map((one, i) => hold(holding, one, childOf(pointer, i), item));
  return atBest(allOf(each), !isFurther(schema, ['type', 'items']));
}

function holdMap(holding: ValueFit, value: JsonObject, pointer: string, schema: JsonObject): FitVerdict {
  if (isOther(holding, pointer, schema, 'object')) return 'contradiction';
  const required = requiredOf(schema);
  const each = Object.entries(value).map(([key, one]) => {
    const verdict = holdKey(holding, key, one, pointer, schema);
    return atBest(verdict, !(required.includes(key) && mayBeLeftOut(holding, childOf(pointer, key))));
  });
  const misspelt = misspeltKeys(value, schema);
  const missing = required.filter((key) => !Object.hasOwn(value, key) && !misspelt.has(key));
  for (const key of missing) reportMissing(holding, key, pointer, schema);
  const isSure = !isFurther(schema, ['type', 'properties', 'required', 'additionalProperties']);
  return atBest(allOf([...each, ...missing.map((): FitVerdict => 'contradiction')]), isSure);
}

/** Keys of the schema that the author misspelt: one mistake, reported once. */
function misspeltKeys(value: JsonObject, schema: JsonObject): ReadonlySet<string> {
  const properties = propertiesOf(schema);
  if (properties === undefined || !isClosed(schema)) return new Set();
  const keys = Object.keys(properties);
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  return new Set(
    unknown.flatMap((key) => {
      const [near, ...rest] = nearest(key, keys);
      return near !== undefined && rest.length === 0 ? [near] : [];
    }),
  );
}

/** Whether the schema forbids unknown keys. */
const isClosed = ({ additionalProperties: others, patternProperties }: JsonObject): boolean =>
  patternProperties === undefined && !isObject(others) && others !== true;

function reportMissing(
  { report, root, missingAt, owner }: ValueFit,
  key: string,
  pointer: string,
  schema: JsonObject,
): void {
  const wanted = meant(propertiesOf(schema)?.[key], root);
  const isInside = pointer.startsWith(`${missingAt}/`);
  report({
    code: 'missing-argument',
    pointer,
    ...(isInside ? {} : { at: pointer.endsWith('/with') ? 'key' : 'value' }),
    message: isInside ? `The key ${quoted(key)} is missing.` : `${owner} needs the argument ${quoted(key)}.`,
    expected: wanted === undefined || namesOf(wanted).length === 0 ? key : `${key}: ${wantedBy(wanted, root)}`,
  });
}

/** An unknown key is a mistake, unless the schema explicitly allows others. */
function holdKey(holding: ValueFit, key: string, value: Json, pointer: string, schema: JsonObject): FitVerdict {
  const properties = propertiesOf(schema);
  const { additionalProperties: others, patternProperties } = schema;
  const at = childOf(pointer, key);
  if (properties !== undefined && Object.hasOwn(properties, key)) return hold(holding, value, at, properties[key]);
  if (patternProperties !== undefined) return 'assumed';
  if (isObject(others) || others === true) return hold(holding, value, at, others);
  if (properties === undefined && others === undefined) return isFurther(schema, ['type']) ? 'assumed' : 'proved';
  const keys = Object.keys(properties ?? {});
  const isInside = pointer.startsWith(`${holding.missingAt}/`);
  holding.report({
    code: 'unknown-argument',
    pointer: at,
    at: 'key',
    message: isInside ? `There is no key ${quoted(key)} here.` : `${holding.owner} has no argument ${quoted(key)}.`,
    expected: keys.length === 0 ? 'no arguments' : keys.slice(0, 12).join(', '),
    found: key,
    hint: didYouMean(key, keys),
  });
  // Continues as if the author had taken the suggestion, so the value is checked, too.
  const [near, ...rest] = nearest(key, keys);
  if (near !== undefined && rest.length === 0) hold(holding, value, at, properties?.[near]);
  return 'contradiction';
}
