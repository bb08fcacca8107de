/**
 * Configures Ajv so that no schema and no value can block the process: patterns are linear, and each applied schema
 * counts.
 */
import { canonicalJson, isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';
import { type AnySchemaObject, type Options, _, Ajv, Name, str } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { CompileCache } from '../cache.ts';
import { compilePattern, searchCost } from '../pattern/pattern.ts';
import { isDecimalMultiple } from './decimal.ts';
import { type MetaError, explainMetaErrors } from './explainErrors.ts';
import { addFormats } from './formats.ts';
import { type Weights, Spend } from './spend.ts';
import { weightsOf } from './weights.ts';

/**
 * A keyword that is added to every schema before it is compiled; authors cannot use it, since unknown keywords are
 * refused or dropped.
 */
const costKeyword = 'baton-cost';

/** A list of 10,000 items can break its schema in a million ways, and each error is an object. */
const errorsMax = 1_000;
/** The variable in which ajv's code counts them. */
const errors = new Name('errors');
/** For a call, and perhaps an error that propagates to the top. */
const unitsEach = 10;
/** Failing alternatives make errors and discard them, which takes most of the time. */
const unitsAfterError = 20;

export interface Engine {
  readonly ajv: Ajv;
  readonly spend: Spend;
  /** How many schemas it has compiled. */
  uses: number;
}

/** An Ajv instance keeps data of every schema that it compiled; after this many, a new one replaces it. */
export const usesMax = 256;

export function engine(dialect: '2020-12' | 'draft-07', allErrors: boolean): Engine {
  const spend = new Spend();
  const options: Options = {
    strict: false,
    allErrors,
    verbose: true,
    logger: false,
    validateSchema: false,
    // Otherwise each reference becomes a copy of its target: 10 KB of schema take ten seconds.
    inlineRefs: false,
    // Checks longer lists in a loop, since generated code for each value is expensive.
    loopEnum: 16,
    loopRequired: 16,
    // Ajv's optimizer takes longer than everything else, and saves almost nothing.
    code: { regExp: linear(spend), optimize: false },
  };
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options);
  addFormats(ajv, spend);
  ajv.addKeyword({
    keyword: costKeyword,
    // First, since Ajv skips the keywords after one that failed.
    before: '$ref',
    code: ({ gen, data, schema }) => {
      const budget = gen.scopeValue('obj', { ref: spend });
      gen.code(
        _`if ((${budget}.left -= ${errors} > 0 ? ${unitsAfterError} : ${unitsEach}) < 0 || ${errors} > ${errorsMax}) throw ${budget}.spent`,
      );
      const weights = schema as Weights | true;
      if (weights !== true) gen.code(_`${budget}.weigh(${data}, ${gen.scopeValue('obj', { ref: weights })})`);
    },
  });
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: {
      message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
      params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
    },
    validate: (step: number, value: number) => {
      spend.charge(unitsEach);
      return isDecimalMultiple(value, step);
    },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have duplicate items' },
    validate: (isWanted: boolean, items: readonly Json[]) => !isWanted || areUnique(spend, items),
  });
  return { ajv, spend, uses: 0 };
}

function linear(spend: Spend): NonNullable<NonNullable<Options['code']>['regExp']> {
  const regExp = (source: string): { test: (text: string) => boolean; toString: () => string } => {
    const pattern = compilePattern(source);
    if (typeof pattern === 'string') throw new Error(pattern);
    return {
      test: (text) => {
        spend.charge(5 * searchCost(pattern, text.length));
        return pattern.test(text);
      },
      // Ajv's key for compiled patterns: equal sources share one.
      toString: () => source,
    };
  };
  return Object.assign(regExp, { code: 'linear' });
}

function areUnique(spend: Spend, items: readonly Json[]): boolean {
  const seen = new Set<string>();
  return items.every((item) => {
    spend.charge(unitsEach);
    spend.chargeSize(item);
    const text = canonicalJson(item);
    return seen.size < seen.add(text).size;
  });
}

/** A copy to compile: with the cost keyword, and without `$id`. */
export function prepared(schema: JsonSchema): AnySchemaObject | boolean {
  return typeof schema === 'boolean' ? schema : counted(schema);
}

/** Keywords whose maps are values and no schemas: an added keyword would change them. */
const values = new Set(['default', 'const', 'enum', 'examples', 'required', 'dependentRequired']);
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

function counted(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (keyword === '$id' || keyword === '$schema' || keyword === 'id') return [];
    return [[keyword, values.has(keyword) ? value : inside(keyword, value)]];
  });
  return { [costKeyword]: weightsOf(schema) ?? true, ...Object.fromEntries(entries) };
}

function inside(keyword: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => (isObject(one) ? counted(one) : one));
  if (!isObject(value)) return value;
  if (!maps.has(keyword)) return counted(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isObject(one) ? counted(one) : one]));
}

const meta = new CompileCache<string, Ajv>(1);

/** Errors of the schema against its meta-schema. */
export function metaErrors({ $schema: dialect, ...rest }: JsonObject): readonly MetaError[] {
  // ajv throws if it has no dialect of that name; schemas of every dialect are read as 2020-12.
  const schema: JsonObject =
    typeof dialect === 'string' || dialect === undefined ? rest : { ...rest, $schema: dialect };
  const ajv = meta.get('2020-12', () => new Ajv2020({ strict: false, allErrors: true, verbose: true, logger: false }));
  return ajv.validateSchema(schema) === true ? [] : explainMetaErrors(ajv.errors ?? []);
}
