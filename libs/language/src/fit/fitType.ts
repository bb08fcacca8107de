/** Checks whether values of a type fit a schema, as far as that is known before the run. */
import { type Field, type Type, types, type Validate, validator } from '@baton/expressions';
import { jsonTypeOf, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import {
  alone,
  choicesOf,
  isFurther,
  isMoreThanReference,
  namesOf,
  propertiesOf,
  requiredOf,
  resolvedSchema,
} from './schemaParts.ts';
import { type FitVerdict, allOf, anyOf, atBest, ofEach } from './verdict.ts';

/** The cost limit of one check: schemas of servers may be recursive. */
export interface TypeFit {
  readonly root: JsonSchema;
  /** How many schemas may still be read, and compiled, which takes some milliseconds each. */
  readonly budget: { left: number; compiled: number };
}

export function fitType(fitting: TypeFit, type: Type, written: Json | undefined): FitVerdict {
  if (written === undefined || written === true) return 'proved';
  if (written === false) return 'contradiction';
  const schema = resolvedSchema(written, fitting.root);
  if (schema === undefined || fitting.budget.left-- <= 0 || type.kind === 'any') return 'assumed';
  if (isMoreThanReference(written, fitting.root)) return atBest(fitType(fitting, type, schema), false);
  if (type.kind === 'union') return ofEach(type.of.map((one) => fitType(fitting, one, schema)));
  const values = types.valuesOf(type);
  if (values !== undefined) return ofEach(values.map((value) => fitLiteral(fitting, value, schema)));
  return allOf([
    fitChoices(fitting, type, schema),
    ...partsOf(schema).map((one) => fitType(fitting, type, one)),
    fitKind(fitting, type, schema),
  ]);
}

const partsOf = ({ allOf: parts }: JsonObject): readonly Json[] => (Array.isArray(parts) ? parts : []);

function fitChoices(fitting: TypeFit, type: Type, schema: JsonObject): FitVerdict {
  const choices = choicesOf(schema);
  if (choices === undefined) return 'proved';
  const verdict = anyOf(choices.map((one) => fitType(fitting, type, one)));
  // More than one may fit, which `oneOf` forbids.
  return atBest(verdict, schema['oneOf'] === undefined);
}

/** Exactly. */
function fitLiteral(fitting: TypeFit, value: Json, schema: JsonObject): FitVerdict {
  if (isPlainFit(value, schema)) return 'proved';
  const whole = validatorOf(fitting, schema);
  if (whole === undefined) return 'assumed';
  return whole.validate(value).length === 0 ? 'proved' : 'contradiction';
}

/** Most schemas only name the kind of a value, or list values: that needs no validator. */
export function isPlainFit(value: Json, schema: JsonObject): boolean {
  const { enum: values } = schema;
  const isScalar = typeof value !== 'object' || value === null;
  if (!isScalar || isFurther(schema, ['type', 'enum'])) return false;
  const name = jsonTypeOf(value);
  const names = namesOf(schema);
  const isNamed = names.includes(name) || (names.includes('integer') && Number.isInteger(value));
  return (names.length === 0 || isNamed) && (!Array.isArray(values) || values.includes(value));
}

/** Undefined if there is none, or if too many were already made. */
export function validatorOf(
  { root, budget }: TypeFit,
  schema: JsonObject,
): { readonly schema: JsonSchema; readonly validate: Validate } | undefined {
  const whole = budget.compiled-- > 0 ? alone(schema, root) : undefined;
  const { validate } = whole === undefined ? { validate: undefined } : validator(whole);
  return whole === undefined || validate === undefined ? undefined : { schema: whole, validate };
}

/** The kinds of JSON that a value of the type becomes. */
const jsonNames: Readonly<Record<string, readonly string[]>> = {
  text: ['string'],
  timestamp: ['string'],
  duration: ['string'],
  bytes: ['string'],
  type: ['string'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  null: ['null'],
  list: ['array'],
  map: ['object'],
};

const looked = ['type', 'anyOf', 'oneOf', 'allOf'];
const lookedByKind: Readonly<Record<string, readonly string[]>> = {
  list: ['items'],
  map: ['properties', 'required', 'additionalProperties'],
};

function fitKind(fitting: TypeFit, type: Exclude<Type, { kind: 'any' | 'union' }>, schema: JsonObject): FitVerdict {
  const { enum: values, const: constant } = schema;
  const own = jsonNames[type.kind] ?? [];
  const named = namesOf(schema);
  const wanted = named.filter((name) => own.includes(name));
  if (named.length > 0 && wanted.length === 0) return 'contradiction';
  const listed = constant === undefined ? values : [constant];
  if (Array.isArray(listed) && !listed.some((one: Json) => own.includes(jsonTypeOf(one)))) return 'contradiction';
  const isSureKind = type.kind !== 'map' || type.isAssumed !== true;
  const isFraction = type.kind === 'number' && wanted.length === 1 && wanted[0] === 'integer' && type.isWhole !== true;
  return atBest(
    fitInside(fitting, type, schema),
    isSureKind && !isFraction && !isFurther(schema, [...looked, ...(lookedByKind[type.kind] ?? [])]),
  );
}

function fitInside(fitting: TypeFit, type: Type, schema: JsonObject): FitVerdict {
  if (type.kind === 'list') return fitItems(fitting, type.of, schema);
  return type.kind === 'map' ? fitMap(fitting, type, schema) : 'proved';
}

/** An empty list fits any type of items. Where each item has a schema of its own, nothing is sure. */
const fitItems = (fitting: TypeFit, item: Type, { items }: JsonObject): FitVerdict =>
  Array.isArray(items) || fitType(fitting, item, items) !== 'proved' ? 'assumed' : 'proved';

type MapType = Extract<Type, { kind: 'map' }>;

function fitMap(fitting: TypeFit, type: MapType, schema: JsonObject): FitVerdict {
  const { additionalProperties: others } = schema;
  const properties = propertiesOf(schema) ?? {};
  const isClosed = type.rest === undefined;
  const missing = requiredOf(schema).map((key): FitVerdict => {
    const field = type.fields.get(key);
    if (field === undefined) return isClosed ? 'contradiction' : 'assumed';
    return field.isOptional === true ? 'assumed' : 'proved';
  });
  const fields = [...type.fields].map(([key, field]) =>
    fitField(fitting, field, Object.hasOwn(properties, key) ? properties[key] : others),
  );
  // Keys that the type does not list may be any.
  const isSure = isClosed || (Object.keys(properties).length === 0 && (others === undefined || others === true));
  return atBest(allOf([...missing, ...fields]), isSure);
}

/** A field that may be missing causes no contradiction. */
function fitField(fitting: TypeFit, { type, isOptional }: Field, schema: Json | undefined): FitVerdict {
  const verdict = fitType(fitting, type, schema);
  return isOptional === true && verdict === 'contradiction' ? 'assumed' : verdict;
}
