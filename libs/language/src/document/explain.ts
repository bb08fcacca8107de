/** Turns schema errors of a document into messages for people. */
import {
  limits,
  excerpt,
  quoted,
  kindNamed,
  kindOf,
  didYouMean,
  either,
  type Segment,
  pointerTo,
  subjectOf,
  segmentsOf,
} from '@baton/expressions';
import { isObject } from '@baton/primitives';
import type * as z from 'zod';

import type { Problem } from '../problem.ts';
import { durationForm, durationMs, respellDuration } from './duration.ts';
import { explainChoice } from './explainChoice.ts';
import { explainUnknownKey } from './explainUnknownKey.ts';
import { type NameForm, forms, respell } from './nameForms.ts';
import { keyFor, keysOf } from './shape.ts';
import { shareWords } from './share.ts';

type DocumentIssue = z.core.$ZodIssue;

export function explainIssues(root: unknown, issues: readonly DocumentIssue[]): Problem[] {
  return issues.flatMap((issue) => explain(root, issue, []));
}

function explain(root: unknown, issue: DocumentIssue, base: readonly Segment[]): Problem[] {
  const path = [...base, ...issue.path.map((one) => (typeof one === 'symbol' ? String(one) : one))];
  const pointer = pointerTo(path);
  const value = valueAt(root, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, limits.document.findings)
        .map((key) => explainUnknownKey(issue.message, key, path, pointer));
    case 'invalid_union':
      return explainUnion(root, issue, path);
    case 'invalid_type':
      if (value === undefined) return [missing(path)];
      if (typeof value === 'number' && durations.has(String(path.at(-1)))) return [bareNumber(value, pointer)];
      if (issue.message === shareWords) return [wrongShare(value, pointer)];
      return [wrongKind(value, issue, path)];
    case 'invalid_value':
      return [wrongValue(value, issue.values, pointer)];
    case 'invalid_format':
      return [wrongText(value, issue.message, pointer)];
    case 'too_small':
    case 'too_big':
      return [outOfRange(value, issue, pointer)];
    case 'custom':
      return [explainCustom(value, issue.params ?? {}, pointer)];
    default:
      return [{ code: 'wrong-value', pointer, message: excerpt(issue.message) }];
  }
}

function valueAt(root: unknown, path: readonly Segment[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<Segment, unknown>)[key]
        : undefined,
    root,
  );
}

function missing(path: readonly Segment[]): Problem {
  const key = String(path.at(-1) ?? '');
  const pointer = pointerTo(path.slice(0, -1));
  return { code: 'missing-key', pointer, message: `The key ${quoted(key)} is missing.`, expected: key };
}

function wrongType(value: unknown, expected: readonly string[], pointer: string): Problem {
  const words = either([...new Set(expected.map(kindNamed))]);
  const found = kindOf(value);
  return {
    code: 'wrong-type',
    pointer,
    message: `${subject(pointer)} has to be ${words}, and here is ${found}.`,
    expected: words,
    found,
  };
}

/** Where a map of a shape belongs, its keys are told, and the value as such a map. */
function wrongKind(
  value: unknown,
  { expected, message }: z.core.$ZodIssueInvalidType,
  path: readonly Segment[],
): Problem {
  const about = wrongType(value, [expected], pointerTo(path));
  const written = hintFor(path, value, expected);
  const keys = expected === 'object' ? keysOf(message) : [];
  if (keys.length === 0) return { ...about, hint: written };
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';
  const key = isScalar ? keyFor(message, value) : undefined;
  const hint = written ?? (key === undefined ? undefined : `{ ${key}: ${excerpt(String(value))} }`);
  return { ...about, expected: `a map with ${either(keys)}`, hint };
}

function wrongShare(value: unknown, pointer: string): Problem {
  const message = `${subject(pointer)} has to be ${shareWords}, and here is ${kindOf(value)}.`;
  const hint = typeof value === 'number' && value >= 1 && value <= 100 ? `did you mean "${value}%"?` : undefined;
  return { code: 'wrong-type', pointer, message, expected: shareWords, found: kindOf(value), hint };
}

function wrongValue(value: unknown, values: readonly unknown[], pointer: string): Problem {
  const expected = either(values.map(String));
  if (typeof value !== 'string') return wrongType(value, [expected], pointer);
  if (value.includes('${{')) return misplaced(value, pointer);
  const message = `${subject(pointer)} cannot be ${quoted(value)}.`;
  const hint = didYouMean(value, values.map(String)) ?? verbForm(segmentsOf(pointer).at(-1) ?? '');
  return { code: 'wrong-value', pointer, message, expected, found: value, hint };
}

const subject = (pointer: string): string => subjectOf(pointer, 'The file');

/** In YAML 1.2 these are texts. */
const spokenBooleans: Readonly<Record<string, string>> = { yes: 'true', on: 'true', no: 'false', off: 'false' };

/** Keys that take a duration. */
const durations = new Set('timeout idle total delay maxDelay wait every expires debounce catchUpWindow'.split(' '));

/** How to write a value as the map or the list that belongs there. */
function hintFor(path: readonly Segment[], value: unknown, expected: string): string | undefined {
  const key = String(path.at(-1));
  if (expected === 'array' && (key === 'needs' || key === 'match')) {
    const only = isObject(value) ? value['code'] : value;
    if (typeof only === 'string') return `[${excerpt(only)}]`;
  }
  if (expected === 'array' && typeof value === 'object') return 'begin each item of the list with `- `';
  if (expected === 'boolean' && typeof value === 'string') return spokenBooleans[value.toLowerCase()];
  if (typeof value === 'number' && key === 'retry') return `{ attempts: ${value} }`;
  if (typeof value === 'number' && key === 'concurrency') return `{ limit: ${value} }`;
  if (typeof value === 'string' && key === 'sample') return '{ append: … }';
  return verbForm(key);
}

const verbForm = (key: string): string | undefined => (Object.hasOwn(verbForms, key) ? verbForms[key] : undefined);

/** Verbs that are often written in another form. */
const verbForms: Readonly<Record<string, string>> = {
  tool: '`tool: server/name`, and its arguments in `with` beside it',
  prompt: '`prompt: server/name`, and its arguments in `with` beside it',
  workflow: '`workflow: name`, and its inputs in `with` beside it',
  ask: '`ask` is the question; `form` beside it describes the answer',
  repeat: '`repeat: { max: …, until: …, steps: … }`',
  undo: '`undo: { tool: server/name, with: … }`',
  parallel: '`parallel` is the list of the steps itself',
};

const isForm = (name: string): name is NameForm => Object.hasOwn(forms, name);

function wrongText(value: unknown, form: string, pointer: string): Problem {
  const text = String(value);
  const about = { pointer, found: text };
  if (form === 'computed') {
    const message = 'A text here has to hold an expression.';
    return { ...about, code: 'wrong-value', message, expected: '${{ … }}, or the value itself' };
  }
  if (text.includes('${{')) return misplaced(text, pointer);
  if (isForm(form)) {
    return {
      ...about,
      code: 'bad-name',
      message: `${quoted(text)} is not a name that can stand here.`,
      expected: forms[form],
      hint: asHint(respell(form, text)),
    };
  }
  const message = `${quoted(text)} is not a duration.`;
  return { ...about, code: 'bad-duration', message, expected: durationForm, hint: asHint(respellDuration(text)) };
}

const asHint = (meant: string | undefined): string | undefined => meant && `did you mean "${excerpt(meant)}"?`;

const misplaced = (found: string, pointer: string): Problem => ({
  code: 'expression-misplaced',
  pointer,
  message: 'No expression can stand here: the value must be known before the run.',
  found,
  ...(pointer.endsWith('/wait') && { hint: computedWait }),
});

/** What a wait whose length is computed becomes. */
const computedWait = 'wait for an instant: `wait: { until: "${{ timestamp(…) + duration(…) }}" }`';

type SizeIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

const units: Readonly<Record<string, string>> = { array: ' item', string: ' character' };

function outOfRange(value: unknown, issue: SizeIssue, pointer: string): Problem {
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const unit = units[issue.origin] ?? '';
  const least = issue.inclusive === false ? 'more than' : 'at least';
  const word = issue.code === 'too_small' ? least : 'at most';
  const expected = `${word} ${bound}${unit}${unit === '' || Number(bound) === 1 ? '' : 's'}`;
  const isEmpty = (value === '' || (Array.isArray(value) && value.length === 0)) && Number(bound) === 1;
  if (isEmpty)
    return {
      code: 'out-of-range',
      pointer,
      message: `${subject(pointer)} is empty.`,
      expected,
    };
  const found = typeof value === 'number' ? String(value) : undefined;
  const verb = unit === '' ? 'be' : 'have';
  return { code: 'out-of-range', pointer, message: `${subject(pointer)} has to ${verb} ${expected}.`, expected, found };
}

function explainCustom(value: unknown, params: Record<string, unknown>, pointer: string): Problem {
  const { choice, expected, fault } = params;
  if (choice !== undefined) return explainChoice(value, params, pointer);
  return {
    code: 'out-of-range',
    pointer,
    message: `${subject(pointer)} ${typeof fault === 'string' ? `is ${fault}: it ` : ''}has to be ${String(expected)}.`,
    expected: String(expected),
    found: String(value),
  };
}

/** The alternative that was meant: one that does not fail because of the kind of value. */
function explainUnion(root: unknown, issue: z.core.$ZodIssueInvalidUnion, path: readonly Segment[]): Problem[] {
  const value = valueAt(root, path);
  if (value === undefined) return [missing(path)];
  const options: readonly (readonly DocumentIssue[])[] = issue.errors;
  const meant = options.find((issues) => !issues.some((one) => isOtherKind(one, value)));
  if (meant !== undefined) return meant.flatMap((one) => explain(root, one, path));
  if (typeof value === 'number' && durations.has(String(path.at(-1))) && options.some(isDuration))
    return [bareNumber(value, pointerTo(path))];
  const expected = options.flat().flatMap((one) => {
    if (one.code === 'invalid_value') return one.values.map(String);
    return one.code === 'invalid_type' ? [one.expected] : [];
  });
  const key = String(path.at(-1));
  const hint = typeof value === 'string' && Object.hasOwn(verbForms, key) ? verbForms[key] : undefined;
  return [{ ...wrongType(value, expected, pointerTo(path)), hint }];
}

const isOtherKind = ({ path, code }: DocumentIssue, value: unknown): boolean =>
  path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && typeof value !== 'string'));

const isDuration = (issues: readonly DocumentIssue[]): boolean =>
  issues.some((one) => one.code === 'invalid_type' && one.expected === 'string');

const bareNumber = (value: number, pointer: string): Problem => ({
  code: 'bad-duration',
  pointer,
  message: 'A duration needs a unit.',
  expected: durationForm,
  found: String(value),
  hint: durationMs(`${value}s`) === undefined ? undefined : `"${value}s" for seconds`,
});
