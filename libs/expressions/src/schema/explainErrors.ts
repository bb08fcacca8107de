/** Turns validation errors into messages for people. */
import { defined } from '@baton/primitives';
import type { ErrorObject } from 'ajv';

import { excerpt, quoted } from '../source/excerpt.ts';
import { kindNamed, kindOf } from '../source/kind.ts';
import { didYouMean, either } from '../source/nearest.ts';
import { childOf } from '../source/pointer.ts';
import { subjectOf } from '../source/subject.ts';
import { superfluous } from '../source/superfluous.ts';

/** One reason why a value does not fit a schema. */
export interface SchemaError {
  /** JSON pointer into the value. */
  readonly pointer: string;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly hint?: string;
}

const errorsMax = 50;

export const explainErrors = (errors: readonly ErrorObject[]): SchemaError[] => toldOf(errors).map(explain);

/** Of a schema, as the meta-schema sees it. */
export interface MetaError extends SchemaError {
  /** The types that the value may have; absent: its type is not what is wrong. */
  readonly types?: readonly string[];
}

export const explainMetaErrors = (errors: readonly ErrorObject[]): MetaError[] =>
  toldOf(errors).map((error) => ({ ...explain(error), ...(error.keyword === 'type' && { types: typesIn(error) }) }));

/** Those of parts of a combination are left out. */
function toldOf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const combined = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf').map(({ schemaPath }) => schemaPath),
  );
  const isPart = ({ schemaPath }: ErrorObject): boolean => {
    for (let at = schemaPath.lastIndexOf('/'); at > 0; at = schemaPath.lastIndexOf('/', at - 1)) {
      if (combined.has(schemaPath.slice(0, at))) return true;
    }
    return false;
  };
  return errors.filter((error) => error.keyword !== 'if' && !isPart(error)).slice(0, errorsMax);
}

const subject = ({ instancePath }: ErrorObject): string => subjectOf(instancePath, 'The value');

interface SchemaComplaint {
  readonly message: string;
  readonly pointer?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly hint?: string | undefined;
}

function explain(error: ErrorObject): SchemaError {
  const { hint, ...told } = (tell[error.keyword] ?? other)(error);
  return { pointer: error.instancePath, ...told, ...defined({ hint }) };
}

const param = (error: ErrorObject, name: string): string => String((error.params as Record<string, unknown>)[name]);

/** `unit`: in the singular; absent for a number. */
const bound =
  (unit?: string) =>
  (error: ErrorObject): SchemaComplaint => {
    const limit = param(error, 'limit');
    const units = unit === undefined ? '' : ` ${unit}${limit === '1' ? '' : 's'}`;
    const expected = `${boundWords[param(error, 'comparison')] ?? boundWords[error.keyword] ?? ''} ${limit}${units}`;
    const found = typeof error.data === 'number' ? String(error.data) : undefined;
    const verb = unit === undefined ? 'be' : 'have';
    return {
      message: `${subject(error)} has to ${verb} ${expected}.`,
      expected,
      ...defined({ found }),
    };
  };

const boundWords: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
  minLength: 'at least',
  maxLength: 'at most',
  minItems: 'at least',
  maxItems: 'at most',
  minProperties: 'at least',
  maxProperties: 'at most',
};

function unknownProperty(error: ErrorObject, name: string): SchemaComplaint {
  const { properties = {}, patternProperties } = (error.parentSchema ?? {}) as {
    readonly properties?: object;
    readonly patternProperties?: object;
  };
  const keys = Object.keys(properties);
  // Other parts of the schema may evaluate further keys.
  const isWhole = error.keyword === 'additionalProperties' && patternProperties === undefined;
  return {
    pointer: childOf(error.instancePath, name),
    message: superfluous(name, isWhole ? keys : undefined, error.instancePath === '' ? undefined : subject(error)),
    ...(isWhole || keys.length > 0 ? { expected: keys.length === 0 ? 'no key' : either(keys) } : {}),
    found: excerpt(name),
    hint: didYouMean(name, keys),
  };
}

const typesIn = ({ params }: ErrorObject): readonly string[] => [(params as { type: string | string[] }).type].flat();

function ofType(error: ErrorObject): SchemaComplaint {
  const expected = either(typesIn(error).map(kindNamed));
  const found = kindOf(error.data);
  return { message: `${subject(error)} has to be ${expected}, and here is ${found}.`, expected, found };
}

function oneOfValues(error: ErrorObject): SchemaComplaint {
  const allowed = (error.params as { allowedValues: unknown[] }).allowedValues.map((one) =>
    typeof one === 'string' ? one : JSON.stringify(one),
  );
  const found = typeof error.data === 'string' ? quoted(error.data) : kindOf(error.data);
  return {
    message: `${subject(error)} cannot be ${found}.`,
    expected: either(allowed.slice(0, 20)),
    found,
    hint: typeof error.data === 'string' ? didYouMean(error.data, allowed) : undefined,
  };
}

/** With an example. */
const formatWords: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-12-24',
  time: 'a time with its offset such as 17:30:00Z',
  'date-time': 'a time such as 2026-12-24T17:30:00Z',
  duration: 'a duration such as PT1H30M',
  email: 'an email address such as ana@example.com',
  hostname: 'the name of a host such as www.example.com',
  ipv4: 'an IPv4 address such as 192.0.2.1',
  ipv6: 'an IPv6 address such as 2001:db8::1',
  uri: 'an address such as https://example.com/a',
  'uri-reference': 'an address or the end of one such as /a',
  uuid: 'a UUID such as 0b3f1c5e-8a1d-4f6b-9c2e-7d5a4b3c2d1e',
};

/** Their values are no secrets, and show what was misread. */
const shownFormats: ReadonlySet<string> = new Set(['date', 'time', 'date-time', 'duration']);

function ofFormat(error: ErrorObject): SchemaComplaint {
  const format = param(error, 'format');
  const words = Object.hasOwn(formatWords, format) ? formatWords[format] : undefined;
  if (words === undefined) return { message: `${subject(error)} is no ${excerpt(format)}.`, expected: excerpt(format) };
  const found = shownFormats.has(format) && typeof error.data === 'string' ? quoted(error.data) : undefined;
  const is = found === undefined ? '' : `, and is ${found}`;
  return { message: `${subject(error)} has to be ${words}${is}.`, expected: words, ...defined({ found }) };
}

const tell: Readonly<Record<string, (error: ErrorObject) => SchemaComplaint>> = {
  required: (error) => {
    const key = param(error, 'missingProperty');
    return { message: `The key ${quoted(key)} is missing.`, expected: key };
  },
  additionalProperties: (error) => unknownProperty(error, param(error, 'additionalProperty')),
  unevaluatedProperties: (error) => unknownProperty(error, param(error, 'unevaluatedProperty')),
  type: ofType,
  enum: oneOfValues,
  const: (error) => ({
    message: `${subject(error)} can only be one value.`,
    expected: excerpt(JSON.stringify((error.params as { allowedValue: unknown }).allowedValue)),
    found: kindOf(error.data),
  }),
  minimum: bound(),
  maximum: bound(),
  exclusiveMinimum: bound(),
  exclusiveMaximum: bound(),
  minLength: bound('character'),
  maxLength: bound('character'),
  minItems: bound('item'),
  maxItems: bound('item'),
  minProperties: bound('key'),
  maxProperties: bound('key'),
  multipleOf: (error) => ({
    message: `${subject(error)} is no multiple of ${param(error, 'multipleOf')}.`,
    expected: `a multiple of ${param(error, 'multipleOf')}`,
  }),
  pattern: (error) => ({
    message: `${subject(error)} does not have the form that is asked for.`,
    expected: `a text that matches ${excerpt(param(error, 'pattern'))}`,
  }),
  format: ofFormat,
  uniqueItems: (error) => ({ message: `${subject(error)} holds something twice.`, expected: 'items that differ' }),
  anyOf: (error) => ({ message: `${subject(error)} fits none of the alternatives.` }),
  oneOf: (error) => ({ message: `${subject(error)} has to fit exactly one of the alternatives.` }),
  not: (error) => ({ message: `${subject(error)} is ruled out.` }),
  'false schema': (error) => ({ message: `${subject(error)} cannot be there at all.` }),
};

const other = (error: ErrorObject): SchemaComplaint => ({
  message: `${subject(error)} ${excerpt(error.message ?? 'does not fit')}.`,
});
