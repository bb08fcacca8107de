/** Converts zod's issues into problems: sentences for people, pointers for programs. */
import { type ProblemDetail, ProblemError } from '@baton/api';
import { didYouMean, pointerTo, superfluous } from '@baton/expressions';
import { jsonTypeOf } from '@baton/primitives';
import * as z from 'zod';

/** The part of the request. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers';

const detailsMax = 20;

/**
 * Throws `ProblemError`; `not-found` for an invalid part of the path. A problem repeats no input of a `writeOnly` schema,
 * because that input is a secret.
 */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: RequestPart,
): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(branchOf);
  const errors = issues.flatMap((issue) => detailsOf(issue, schema, part)).slice(0, detailsMax);
  const [first] = errors;
  const detail = first?.message ?? 'The request does not match its schema.';
  if (part === 'params') throw new ProblemError('not-found', 'There is nothing of that name.');
  if (part === 'body' && value == null) {
    throw new ProblemError('malformed-request', 'A body is required: JSON, with its Content-Type.');
  }
  throw new ProblemError('validation-failed', detail, { errors });
}

type RequestIssue = z.core.$ZodIssue;

/**
 * If a value matches no branch of a union, reports the branch that was probably meant: the one whose issue is deepest,
 * or is not about the discriminator.
 */
function branchOf(issue: RequestIssue): RequestIssue[] {
  if (issue.code !== 'invalid_union' || issue.message !== unsaid) return [issue];
  const depth = (branch: readonly RequestIssue[]): number => Math.max(0, ...branch.map(({ path }) => path.length));
  const isOfForm = (branch: readonly RequestIssue[]): boolean => branch.every(({ code }) => code !== 'invalid_type');
  const [meant] = issue.errors.toSorted((a, b) => depth(b) - depth(a) || Number(isOfForm(b)) - Number(isOfForm(a)));
  if (meant === undefined || meant.length === 0) return [issue];
  return meant.flatMap((one) => branchOf({ ...one, path: [...issue.path, ...one.path] }));
}

/** Zod's message if the schema has none of its own. */
const unsaid = 'Invalid input';

function detailsOf(issue: RequestIssue, schema: z.ZodType, part: RequestPart): ProblemDetail[] {
  const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
  if (issue.code === 'unrecognized_keys') {
    const shape = shapeAt(schema, path);
    const known = shape && Object.keys(shape);
    return issue.keys.map((key) => {
      const hint = didYouMean(key, known ?? []);
      const message = superfluous(key, known);
      return { pointer: placeOf([...path, key], part), code: 'unknown-member', message, ...(hint && { hint }) };
    });
  }
  const name = path.length === 0 ? 'The body' : `"${nameOf(path).slice(0, 80)}"`;
  const pointer = placeOf(path, part);
  if (issue.input === undefined) {
    return [{ pointer, code: 'missing-member', message: `${name} is missing.`, expected: expectedBy(issue) }];
  }
  const expected = expectedBy(issue);
  const found = isWriteOnly(schema) ? withArticle(jsonTypeOf(issue.input)) : foundIn(issue.input);
  const hint =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? didYouMean(issue.input, issue.values.map(String))
      : undefined;
  const message = `${name} must be ${expected}, and is ${found}.`;
  return [{ pointer, code: codeOf(issue), message, expected, found, ...(hint && { hint }) }];
}

/** An item of a list gets the name of the list. */
function nameOf(path: readonly (string | number)[]): string {
  const from = path.findLastIndex((segment) => typeof segment === 'string');
  const [first = '', ...rest] = path.slice(Math.max(0, from));
  return `${first}${rest.map((index) => `[${index}]`).join('')}`;
}

const placeOf = (path: readonly (string | number)[], part: RequestPart): string =>
  part === 'body' ? pointerTo(path) : `?${path.join('.')}`;

/** The fields that a place of the request may have; undefined if unknown. */
function shapeAt(schema: z.ZodType, path: readonly (string | number)[]): Readonly<Record<string, unknown>> | undefined {
  let at: unknown = schema;
  for (const segment of ['', ...path].slice(1)) {
    at = at instanceof z.ZodObject ? (at.shape as Record<string, unknown>)[segment] : undefined;
    if (at instanceof z.ZodOptional) at = at.unwrap();
  }
  return at instanceof z.ZodObject ? at.shape : undefined;
}

const codes: Partial<Record<RequestIssue['code'], string>> = {
  invalid_type: 'wrong-type',
  too_big: 'out-of-range',
  too_small: 'out-of-range',
};

const codeOf = (issue: RequestIssue): string => codes[issue.code] ?? 'wrong-value';

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items', object: ' keys' };

function expectedBy(issue: RequestIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return withArticle(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_big':
      return `at most ${String(issue.maximum)}${units[issue.origin] ?? ''}`;
    case 'too_small':
      return `at least ${String(issue.minimum)}${units[issue.origin] ?? ''}`;
    default:
      return issue.message;
  }
}

const articles: Readonly<Record<string, string>> = {
  record: 'an object',
  object: 'an object',
  array: 'a list',
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
};

const withArticle = (kind: string): string => articles[kind] ?? kind;

const isWriteOnly = (schema: z.ZodType): boolean => z.globalRegistry.get(schema)?.['writeOnly'] === true;

function foundIn(input: unknown): string {
  if (typeof input === 'object') return withArticle(jsonTypeOf(input));
  return JSON.stringify(input).slice(0, 80);
}
