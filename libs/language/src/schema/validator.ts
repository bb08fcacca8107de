/**
 * Values against schemas: inputs, answers, models' outputs, and what servers declare for their tools.
 *
 * No schema is trusted: its size is capped before it is compiled, patterns are linear, and applying it is counted.
 */
import type { ValidateFunction } from 'ajv';
import { MissingRefError } from 'ajv';

import { Cache } from '../cache.ts';
import type { Json, JsonSchema } from '../json.ts';
import { excerpt, quoted } from '../source/excerpt.ts';
import { engine, prepared, usesMax } from './ajv.ts';
import type { Engine } from './ajv.ts';
import { refusalOf } from './caps.ts';
import type { SchemaError } from './explainErrors.ts';
import { explainErrors } from './explainErrors.ts';
import { ValidationSpent } from './spend.ts';
import { isObject } from './walk.ts';

/** Why a value does not fit; none: it does. */
export type Validate = (value: Json) => readonly SchemaError[];

export type Validator =
  | { readonly validate: Validate; readonly refusal: undefined }
  /** A sentence: why the schema is not one that values can be held to. */
  | { readonly validate: undefined; readonly refusal: string };

const byObject = new WeakMap<object, Validator>();
const byText = new Cache<string, Validator>(256);

export function validator(schema: JsonSchema): Validator {
  if (typeof schema === 'boolean') return compiled(schema);
  if (!isObject(schema)) return { validate: undefined, refusal: 'It is neither a map nor true or false.' };
  const known = byObject.get(schema);
  if (known !== undefined) return known;
  const refusal = refusalOf(schema);
  const made =
    refusal === undefined
      ? byText.get(JSON.stringify(schema), () => compiled(schema))
      : { validate: undefined, refusal };
  byObject.set(schema, made);
  return made;
}

type Dialect = '2020-12' | 'draft-07';

/** Made when they are first needed: each costs some milliseconds. */
const engines = new Cache<string, Engine>(4);

function engineFor(dialect: Dialect, allErrors: boolean): Engine {
  const key = `${dialect} ${allErrors}`;
  const current = engines.get(key, () => engine(dialect, allErrors));
  if (++current.uses >= usesMax) engines.forget(key);
  return current;
}

function dialectOf(schema: JsonSchema): Dialect {
  const declared = isObject(schema) ? schema['$schema'] : undefined;
  return typeof declared === 'string' && /draft-0[4-7]/.test(declared) ? 'draft-07' : '2020-12';
}

function compiled(schema: JsonSchema): Validator {
  const dialect = dialectOf(schema);
  const first = compileWith(engineFor(dialect, false), schema);
  if (typeof first === 'string') return { validate: undefined, refusal: first };
  let every: Check | string | undefined;
  const makeAll = (): Check | string => (every ??= compileWith(engineFor(dialect, true), schema));
  return { validate: (value) => check(first, makeAll, value), refusal: undefined };
}

/** Ajv throws plain errors, and one of its own for a reference that leads nowhere. */
function whyRefused(error: unknown): string {
  if (error instanceof MissingRefError) return `It refers to ${quoted(error.missingRef)}, which is not in it.`;
  return `It is not a JSON Schema: ${excerpt(error instanceof Error ? error.message : String(error))}.`;
}

type Check = (value: Json) => readonly SchemaError[];

/** A sentence where it cannot be compiled. */
function compileWith({ ajv, spend }: Engine, schema: JsonSchema): Check | string {
  const copy = prepared(schema);
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(copy);
  } catch (error) {
    return whyRefused(error);
  } finally {
    if (typeof copy === 'object') ajv.removeSchema(copy);
  }
  return (value) => {
    spend.begin();
    return validate(value) ? [] : explainErrors(validate.errors ?? []);
  };
}

/** The quick way first, which stops at the first error; all errors only where there is one. */
function check(first: Check, makeAll: () => Check | string, value: Json): readonly SchemaError[] {
  try {
    const one = first(value);
    return one.length === 0 ? one : all(one, makeAll, value);
  } catch (error) {
    if (!(error instanceof ValidationSpent) && !(error instanceof RangeError)) throw error;
    return [{ pointer: '', message: 'The value is too large, or its schema too involved, to be checked.' }];
  }
}

function all(one: readonly SchemaError[], makeAll: () => Check | string, value: Json): readonly SchemaError[] {
  const every = makeAll();
  if (typeof every === 'string') return one;
  try {
    return every(value);
  } catch (error) {
    if (!(error instanceof ValidationSpent) && !(error instanceof RangeError)) throw error;
    return one;
  }
}
