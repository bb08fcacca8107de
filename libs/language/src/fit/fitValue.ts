/** Checks arguments against a schema: literal values exactly, computed ones by their type. */
import {
  type Type,
  types,
  refusalOf,
  validator,
  quoted,
  didYouMean,
  either,
  nearest,
  childOf,
  subjectOf,
  isForbiddenKey,
} from '@baton/expressions';
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import type { ProblemReporter } from '../problem.ts';
import { type TypeFit, fitType, isPlainFit, validatorOf } from './fitType.ts';
import { reportMismatches } from './mismatch.ts';
import {
  choicesOf,
  isFurther,
  isMoreThanReference,
  namesOf,
  propertiesOf,
  requiredOf,
  resolvedSchema,
  wantedBy,
} from './schemaParts.ts';
import { unfitNull } from './unfitNull.ts';
import { type FitVerdict, allOf, anyOf, atBest } from './verdict.ts';

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
  const fitting: ValueFit = {
    root: schema,
    budget: { left: schemasMax, compiled: compiledMax },
    report,
    types: given.types,
    missingAt,
    owner,
  };
  const verdict = fit(fitting, value, pointer, schema);
  if (verdict === 'contradiction' || isComputed(value)) return verdict;
  return fitWhole(fitting, value, pointer, schema);
}

const isComputed = (value: Json): boolean => JSON.stringify(value).includes('${{');

/** Includes rules that concern several values. */
function fitWhole({ report }: ValueFit, value: Json, pointer: string, schema: JsonSchema): FitVerdict {
  const { validate } = validator(schema);
  if (validate === undefined) return 'assumed';
  if (validate(value).length === 0) return 'proved';
  reportMismatches(report, schema, value, pointer, 'The arguments do not fit.');
  return 'contradiction';
}

function fit(fitting: ValueFit, value: Json, pointer: string, written: Json | undefined): FitVerdict {
  if (written === undefined || written === true) return 'proved';
  const schema = resolvedSchema(written, fitting.root);
  if (schema === undefined || fitting.budget.left-- <= 0) return 'assumed';
  const isWhole = !isMoreThanReference(written, fitting.root);
  const verdict = atBest(fitSchema(fitting, value, pointer, schema), isWhole);
  const computed = verdict === 'assumed' ? computedAt(fitting, pointer) : undefined;
  if (computed !== undefined) reportNull(fitting, computed, pointer, schema);
  return verdict;
}

function fitSchema(fitting: ValueFit, value: Json, pointer: string, schema: JsonObject): FitVerdict {
  const choices = choicesOf(schema);
  if (choices !== undefined) return fitChoices(fitting, value, pointer, schema, choices);
  if (isObject(value)) return fitMap(fitting, value, pointer, schema);
  if (Array.isArray(value)) return fitList(fitting, value as readonly Json[], pointer, schema);
  const type = computedAt(fitting, pointer);
  return type === undefined ? fitLiteral(fitting, value, pointer, schema) : fitComputed(fitting, type, pointer, schema);
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

function fitLiteral(fitting: ValueFit, value: Json, pointer: string, schema: JsonObject): FitVerdict {
  if (isPlainFit(value, schema)) return 'proved';
  const whole = validatorOf(fitting, schema);
  if (whole === undefined) return 'assumed';
  if (whole.validate(value).length === 0) return 'proved';
  reportMismatches(fitting.report, whole.schema, value, pointer, `${subjectOf(pointer, 'The value')} does not fit.`);
  return 'contradiction';
}

function fitComputed(fitting: ValueFit, type: Type, pointer: string, schema: JsonObject): FitVerdict {
  const verdict = fitType(fitting, type, schema);
  if (verdict !== 'contradiction') return verdict;
  const [lacking] = type.kind === 'map' ? requiredOf(schema).filter((key) => !type.fields.has(key)) : [];
  if (lacking === undefined || (type.kind === 'map' && type.rest !== undefined)) {
    const [expected, found] = [wantedBy(schema, fitting.root), foundOf(type)];
    const isSame = expected === found;
    const message = `${subjectOf(pointer, 'The value')} takes ${expected}, and this is ${isSame ? 'another' : found}.`;
    const isNumber = expected === 'a number' || expected === 'an integer';
    const hint = isNumber && type.kind === 'text' ? '`int(…)` makes a number of a text' : undefined;
    fitting.report({ code: 'argument-type', pointer, message, expected, found, hint });
  } else {
    const message = `${subjectOf(pointer, 'The value')} needs the key ${quoted(lacking)}, and this has none.`;
    fitting.report({ code: 'argument-type', pointer, message, expected: lacking });
  }
  return 'contradiction';
}

/** A doubt: the value does not fit where it is null. */
function reportNull(fitting: ValueFit, type: Type, pointer: string, schema: JsonObject): void {
  const place = unfitNull(fitting, type, schema);
  if (place === undefined) return;
  const subject = subjectOf(pointer, 'The value');
  const expected = wantedBy(place.schema, fitting.root);
  fitting.report({
    code: 'argument-may-be-null',
    pointer,
    message: `${subject} takes ${expected}${place.inside}, and this can be null${place.inside === '' ? '' : ' there'}.`,
    expected,
    hint: 'test it: `x == null ? "…" : x`; `x == null ? optional.none() : optional.of(x)` leaves the key out',
  });
}

const valuesShown = 3;

function foundOf(type: Type): string {
  const values = types.valuesOf(type) ?? [];
  if (values.length === 0 || values.length > valuesShown) return types.describe(type);
  return either(values.map((value) => (typeof value === 'string' ? quoted(value) : JSON.stringify(value))));
}

/** Reports a value that fits none of the alternatives. */
function fitChoices(
  fitting: ValueFit,
  value: Json,
  pointer: string,
  schema: JsonObject,
  choices: readonly Json[],
): FitVerdict {
  const silent: ValueFit = { ...fitting, report: () => undefined };
  const verdict = anyOf(choices.map((one) => fit(silent, value, pointer, one)));
  if (verdict !== 'contradiction') return atBest(verdict, !isFurther(schema, ['anyOf']));
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) return fit(fitting, value, pointer, only);
  const type = computedAt(fitting, pointer);
  if (type !== undefined) return fitComputed(fitting, type, pointer, schema);
  const message = `${subjectOf(pointer, 'The value')} fits none of the alternatives.`;
  fitting.report({ code: 'argument-type', pointer, message, expected: wantedBy(schema, fitting.root) });
  return 'contradiction';
}

/** Reports a value whose kind the schema does not take; false where it takes it. */
function refuseKind(fitting: ValueFit, pointer: string, schema: JsonObject, name: 'object' | 'array'): boolean {
  const names = namesOf(schema);
  if (names.length === 0 || names.includes(name)) return false;
  const [expected, found] = [wantedBy(schema, fitting.root), name === 'object' ? 'a map' : 'a list'];
  const message = `${subjectOf(pointer, 'The value')} takes ${expected}, and this is ${found}.`;
  fitting.report({ code: 'argument-type', pointer, message, expected, found });
  return true;
}

function fitList(fitting: ValueFit, value: readonly Json[], pointer: string, schema: JsonObject): FitVerdict {
  if (refuseKind(fitting, pointer, schema, 'array')) return 'contradiction';
  const { items } = schema;
  const item = isObject(items) || typeof items === 'boolean' ? items : undefined;
  const each = value.map((one, i) => {
    const at = childOf(pointer, i);
    // In a list, none becomes null.
    return atBest(fit(fitting, one, at, item), !mayBeLeftOut(fitting, at));
  });
  return atBest(allOf(each), !Array.isArray(items) && !isFurther(schema, ['type', 'items']));
}

function fitMap(fitting: ValueFit, value: JsonObject, pointer: string, schema: JsonObject): FitVerdict {
  if (refuseKind(fitting, pointer, schema, 'object')) return 'contradiction';
  const required = requiredOf(schema);
  const each = Object.entries(value).map(([key, one]) => {
    const verdict = fitKey(fitting, key, one, pointer, schema);
    return atBest(verdict, !(required.includes(key) && mayBeLeftOut(fitting, childOf(pointer, key))));
  });
  const misspelt = misspeltKeys(value, schema);
  const missing = required.filter((key) => !Object.hasOwn(value, key) && !misspelt.has(key));
  for (const key of missing) reportMissing(fitting, key, pointer, schema);
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
  const properties = propertiesOf(schema) ?? {};
  const wanted = Object.hasOwn(properties, key) ? resolvedSchema(properties[key], root) : undefined;
  const isInside = pointer.startsWith(`${missingAt}/`);
  const need = isInside ? `The key ${quoted(key)} is missing.` : `${owner} needs the argument ${quoted(key)}.`;
  const never = isForbiddenKey(key) ? ' Baton accepts no key of that name, so it cannot be called.' : '';
  report({
    code: 'missing-argument',
    pointer,
    ...(isInside ? {} : { at: pointer.endsWith('/with') ? 'key' : 'value' }),
    message: `${need}${never}`,
    expected: wanted === undefined || namesOf(wanted).length === 0 ? key : `${key}: ${wantedBy(wanted, root)}`,
  });
}

/** An unknown key is a mistake, unless the schema explicitly allows others. */
function fitKey(fitting: ValueFit, key: string, value: Json, pointer: string, schema: JsonObject): FitVerdict {
  const properties = propertiesOf(schema);
  const { additionalProperties: others, patternProperties } = schema;
  const at = childOf(pointer, key);
  if (properties !== undefined && Object.hasOwn(properties, key)) return fit(fitting, value, at, properties[key]);
  if (patternProperties !== undefined) return 'assumed';
  if (isObject(others) || others === true) return fit(fitting, value, at, others);
  if (properties === undefined && others === undefined) return isFurther(schema, ['type']) ? 'assumed' : 'proved';
  // Some servers require what they do not describe.
  if (others === undefined && requiredOf(schema).includes(key)) return 'proved';
  const keys = Object.keys(properties ?? {});
  const isInside = pointer.startsWith(`${fitting.missingAt}/`);
  fitting.report({
    code: 'unknown-argument',
    pointer: at,
    at: 'key',
    message: isInside ? `There is no key ${quoted(key)} here.` : `${fitting.owner} has no argument ${quoted(key)}.`,
    expected: keys.length === 0 ? 'no arguments' : keys.slice(0, 12).join(', '),
    found: key,
    hint: didYouMean(key, keys),
  });
  // Continues as if the author had taken the suggestion, so the value is checked, too.
  const [near, ...rest] = nearest(key, keys);
  if (near !== undefined && rest.length === 0) fit(fitting, value, at, properties?.[near]);
  return 'contradiction';
}
