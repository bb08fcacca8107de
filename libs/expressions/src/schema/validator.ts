/**
 * Validates values against schemas: inputs, answers, models' outputs, results of tools.
 *
 * No schema is trusted: its size is capped before it is compiled, patterns are linear, and applying it is counted.
 */
import { isObject, type Json, type JsonSchema } from '@baton/primitives';
import { type ValidateFunction, MissingRefError } from 'ajv';

import { CompileCache } from '../cache.ts';
import { excerpt, quoted } from '../source/excerpt.ts';
import { engine, prepared, usesMax, type Engine } from './ajv.ts';
import { type SchemaError, explainErrors } from './explainErrors.ts';
import { compileCost, refusalOf } from './schemaCost.ts';
import { type Spend, ValidationSpent } from './spend.ts';

/** Reasons why a value does not fit; empty: it fits. */
export type Validate = (value: Json) => readonly SchemaError[];

export type Validator =
  | { readonly validate: Validate; readonly refusal: undefined }
  | ({ readonly validate: undefined } & UnusableSchema);

interface UnusableSchema {
  /** A sentence: why. */
  readonly refusal: string;
  /** What it refers to and has not. */
  readonly missingRef?: string;
}

const byObject = new WeakMap<object, Validator>();
const byText = new CompileCache<string, Validator>(256);

export function validator(schema: JsonSchema): Validator {
  if (typeof schema === 'boolean') return compiled(schema);
  if (!isObject(schema)) return { validate: undefined, refusal: 'It is neither a map nor true or false.' };
  const known = byObject.get(schema);
  if (known !== undefined) return known;
  const refusal = refusalOf(schema);
  const made =
    refusal === undefined
      ? byText.get(JSON.stringify(schema), () => compiled(schema))
      : { validate: undefined, refusal: refusal.why };
  byObject.set(schema, made);
  return made;
}

export type Dialect = '2020-12' | 'draft-07';

/** Created when first needed, since each takes some milliseconds. */
const engines = new CompileCache<string, Engine>(4);

function engineFor(dialect: Dialect, allErrors: boolean): Engine {
  const key = `${dialect} ${allErrors}`;
  const current = engines.get(key, () => engine(dialect, allErrors));
  if (++current.uses >= usesMax) engines.forget(key);
  return current;
}

export function dialectOf(schema: JsonSchema): Dialect {
  const declared = isObject(schema) ? schema['$schema'] : undefined;
  return typeof declared === 'string' && /draft-0[4-7]/.test(declared) ? 'draft-07' : '2020-12';
}

function compiled(schema: JsonSchema): Validator {
  const dialect = dialectOf(schema);
  const first = compileWith(engineFor(dialect, false), schema);
  if ('refusal' in first) return { validate: undefined, ...first };
  const cost = compileCost(schema);
  let every: SchemaCheck | UnusableSchema | undefined;
  const makeAll = (): SchemaCheck | undefined => {
    if (every === undefined) {
      first.spend.left -= cost;
      if (first.spend.left <= 0) return undefined;
    }
    every ??= compileWith(engineFor(dialect, true), schema);
    return 'refusal' in every ? undefined : every;
  };
  return { validate: (value) => check(first, makeAll, value), refusal: undefined };
}

/** Ajv throws plain errors, and a class of its own for an unresolved reference. */
function whyRefused(error: unknown): UnusableSchema {
  if (!(error instanceof MissingRefError))
    return { refusal: `It is not a JSON Schema: ${excerpt(error instanceof Error ? error.message : String(error))}.` };
  const { missingRef } = error;
  return { refusal: `It refers to ${quoted(missingRef)}, which is not in it.`, missingRef };
}

/** `units`: its cost limit. */
interface SchemaCheck {
  readonly spend: Spend;
  readonly run: (value: Json, units?: number) => readonly SchemaError[];
}

function compileWith({ ajv, spend }: Engine, schema: JsonSchema): SchemaCheck | UnusableSchema {
  const copy = prepared(schema);
  // Ajv's code that notes which members were evaluated fails in places, and is needed for these keywords alone.
  ajv.opts.unevaluated = /"unevaluated(Items|Properties)":/.test(JSON.stringify(schema));
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(copy);
  } catch (error) {
    return whyRefused(error);
  } finally {
    if (typeof copy === 'object') ajv.removeSchema(copy);
  }
  const run: SchemaCheck['run'] = (value, units) => {
    spend.begin(units);
    return validate(value) ? [] : explainErrors(validate.errors ?? []);
  };
  return { spend, run };
}

const tooMuch: SchemaError = {
  pointer: '',
  message: 'The value is too large, or its schema too involved, to be checked.',
};

/** Whether the error only says that the value could not be checked. */
export const isUnchecked = (error: SchemaError): boolean => error === tooMuch;

/**
 * First validates up to the first error, which is fast; only if there is one, collects all errors with the remaining
 * cost.
 */
function check(first: SchemaCheck, makeAll: () => SchemaCheck | undefined, value: Json): readonly SchemaError[] {
  const one = unlessSpent(() => first.run(value)) ?? [tooMuch];
  if (one.length === 0 || one[0] === tooMuch) return one;
  const every = makeAll();
  return (every === undefined ? undefined : unlessSpent(() => every.run(value, first.spend.left))) ?? one;
}

/**
 * A value or a schema that exhausts the call stack counts as too expensive, too, and so does a schema whose compiled code
 * fails: Ajv notes members of `patternProperties` in a variable that it has not set.
 */
function unlessSpent(validate: () => readonly SchemaError[]): readonly SchemaError[] | undefined {
  try {
    return validate();
  } catch (error) {
    if (![ValidationSpent, RangeError, TypeError].some((known) => error instanceof known)) throw error;
    return undefined;
  }
}
