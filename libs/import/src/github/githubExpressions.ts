/** Resolves names and functions in the expressions of GitHub Actions. */
import { childOf } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import {
  type Comparison,
  type NameMeanings,
  type NamePath,
  type PathPart,
  celOf,
  joined,
  optionalPath,
} from '../expression/celOf.ts';
import { readGithub } from '../expression/readGithub.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { Import, WrittenPlace } from '../importing.ts';
import { mapTexts, wordOf } from '../json.ts';
import { looselyEqual } from '../looseEquality.ts';
import { githubMarks, onlyExpression } from '../marked.ts';
import { ofContext } from './githubContext.ts';
import { githubCall } from './githubFunctions.ts';
import { type GithubNames, inputName, noteToken } from './githubNames.ts';
import { githubStatus, withStatuses } from './githubStatuses.ts';

export function meaningsAt(names: GithubNames, place: WrittenPlace): NameMeanings {
  return {
    read: (path) => read(names, place, path),
    call: (name, args) => githubCall(name, args, names.isLate),
    compare: (comparison) => compared(place, comparison),
  };
}

const hasLetters = (value: unknown): boolean => typeof value === 'string' && /[a-z]/i.test(value);
/** Texts whose case is always the same. */
const isFixed = (cel: string): boolean => githubStatus.test(cel) || cel === 'inputs.event_name';

/** GitHub converts types, and compares texts without regard to case. */
function compared({ importing, pointer }: WrittenPlace, comparison: Comparison): string | undefined {
  const { left, right } = comparison;
  const isText = hasLetters(left.value) || hasLetters(right.value);
  if (isText && !isFixed(left.cel) && !isFixed(right.cel)) {
    const message = 'GitHub compares texts without regard to case; Baton does not.';
    importing.noteOnce('differs', { pointer, message, hint: 'write lower(…) on both sides if it matters' });
  }
  return looselyEqual(comparison);
}

function read(names: GithubNames, place: WrittenPlace, { name, path }: NamePath): string {
  const [first, ...rest] = path;
  const key = String(first ?? '');
  if (key === '') throw new UnmappedError(`${name} as a whole has no counterpart`);
  switch (name) {
    case 'github':
      return ofContext(names, place, key, rest);
    case 'inputs':
      return joined(
        'inputs',
        path.map((one) => (typeof one === 'string' ? inputName(one) : one)),
      );
    case 'secrets':
      if (key === 'GITHUB_TOKEN') noteToken(place);
      return `secrets.${key}`;
    case 'env':
      return ofEnvironment(names, place, key);
    case 'vars': {
      const message = `vars.${key} becomes the input "${inputName(key)}", which the caller of the workflow has to give.`;
      place.importing.noteOnce('differs', { pointer: place.pointer, message, hint: 'give the input a default' });
      return `inputs.${names.events.takeInput(key)}`;
    }
    case 'steps':
      return ofStep(names, key, rest);
    case 'needs':
    case 'jobs': {
      const found = names.need(key, rest);
      if (found !== undefined) return found;
      break;
    }
    case 'matrix':
      if (names.isInMatrix) return joined('matrix', path);
      break;
    case 'job':
      if (key === 'status' && names.isLate)
        return `(error == null ? "success" : error.code == "cancelled" ? "cancelled" : "failure")`;
      break;
  }
  throw new UnmappedError(`${[name, ...path.slice(0, 2)].join('.')} has no counterpart`);
}

function ofEnvironment(names: GithubNames, place: WrittenPlace, key: string): string {
  const value = names.env[key];
  const code = typeof value === 'string' ? onlyExpression(value, githubMarks) : undefined;
  const around = { ...names, env: without(names.env, key) };
  if (code !== undefined) return celOf(readGithub(code), meaningsAt(around, place));
  if (typeof value === 'string' && value.includes('${{'))
    throw new UnmappedError(`env.${key} is made of several parts`);
  if (value !== undefined) return JSON.stringify(wordOf(value));
  throw new UnmappedError(`env.${key} is set while the job runs`);
}

const without = (env: Readonly<Record<string, Json>>, key: string): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== key));

function ofStep({ step, isLate }: GithubNames, id: string, [field, ...rest]: readonly PathPart[]): string {
  const found = step(id);
  if (found === undefined) throw new UnmappedError(`there is no step "${id}" before it`);
  const isOptional = found.isOptional || isLate;
  const base = isOptional ? `steps.?${found.id}` : `steps.${found.id}`;
  if (field === 'outputs') return isOptional ? optionalPath(base, ['output', ...rest]) : joined(`${base}.output`, rest);
  if (field === 'conclusion' && found.isIgnored)
    throw new UnmappedError('a step whose failure is ignored has the conclusion success, and no status of that name');
  if (field === 'outcome' || field === 'conclusion') return statusOf(found.id, isOptional);
  throw new UnmappedError(`steps.${id}.${String(field)} has no counterpart`);
}

/** A status, which is translated with the text that it is compared with. */
export const statusOf = (id: string, isOptional: boolean): string =>
  `\ue000${isOptional ? `steps.?${id}.?status.orValue("skipped")` : `steps.${id}.status`}\ue001`;

export function valueOf(importing: Import, value: Json, pointer: string, names: GithubNames): Json {
  return mapTexts(value, pointer, (text, at) =>
    withStatuses(importing.template(text, at, meaningsAt(names, { importing, pointer: at }))),
  );
}

/** `if`: with or without braces. */
export function conditionOf(
  importing: Import,
  value: Json | undefined,
  pointer: string,
  names: GithubNames,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return wordOf(value);
  const code = onlyExpression(value, githubMarks) ?? value;
  return withStatuses(importing.expression(code, pointer, meaningsAt(names, { importing, pointer })));
}

/** The values of an `env`, without those that only the runner knows. */
export const environmentOf = (importing: Import, env: JsonObject, pointer: string, names: GithubNames): JsonObject =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      typeof value === 'string' ? valueOf(importing, value, childOf(pointer, name), names) : wordOf(value),
    ]),
  );
