/** Resolves names and functions in the expressions of GitHub Actions. */
import type { Json, JsonObject } from '@baton/language';
import { childOf } from '@baton/language';

import type { NameMeanings, NamePath, PathPart } from '../expression/celOf.ts';
import { celOf, joined, optionalPath } from '../expression/celOf.ts';
import { readGithub } from '../expression/readGithub.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { Import } from '../importing.ts';
import { mapTexts, wordOf } from '../json.ts';
import { githubMarks, onlyExpression } from '../marked.ts';

/** The names that a place of a workflow can read. */
export interface GithubNames {
  /** The step of an id in this job; undefined: there is no such earlier step. */
  readonly step: (id: string) => { readonly id: string; readonly isOptional: boolean } | undefined;
  /** The CEL of an output of a job that this one needs. */
  readonly need: (job: string, path: readonly PathPart[]) => string | undefined;
  /** The `env` of workflow, job and step, merged; texts may contain expressions. */
  readonly env: Readonly<Record<string, Json>>;
  readonly hasEvent: boolean;
  readonly isInMatrix: boolean;
  readonly takeInput: (name: string) => string;
}

const ofGithub: Readonly<Record<string, string>> = {
  run_id: 'run.id',
  run_number: 'run.id',
  workflow: 'run.workflow',
  event_name: 'run.trigger',
};

const ofEvent: Readonly<Record<string, string>> = {
  repository: 'inputs.event.repository.full_name',
  repository_owner: 'inputs.event.repository.owner.login',
  actor: 'inputs.event.sender.login',
  triggering_actor: 'inputs.event.sender.login',
  ref: 'inputs.event.ref',
  sha: 'inputs.event.after',
  head_ref: 'inputs.event.pull_request.head.ref',
  base_ref: 'inputs.event.pull_request.base.ref',
};

const statusOf: Readonly<Record<string, string>> = { success: 'succeeded', failure: 'failed' };

const call = (name: string, args: readonly string[]): string | undefined => {
  const [first = '""', second = '""', ...rest] = args;
  switch (name.toLowerCase()) {
    case 'contains':
      return /^\[|\.map\(/.test(first) ? `${second} in ${first}` : `contains(${first}, ${second})`;
    case 'startswith':
      return `startsWith(${first}, ${second})`;
    case 'endswith':
      return `endsWith(${first}, ${second})`;
    case 'join':
      return args.length === 1 ? `join(${first}, ",")` : `join(${first}, ${second})`;
    case 'tojson':
      return `json(${first})`;
    case 'fromjson':
      return `fromJson(${first})`;
    case 'format':
      return formatted(first, args.length < 2 ? [] : [second, ...rest]);
    case 'always':
    case 'success':
      return 'true';
    case 'failure':
      return 'error != null';
    case 'cancelled':
      return 'error.?code.orValue("") == "cancelled"';
    default:
      return undefined;
  }
};

/** `format('a {0}', x)`, with a literal text. */
function formatted(text: string, values: readonly string[]): string {
  const parts = (JSON.parse(text) as string).split(/\{(\d+)\}/);
  const made = parts.map((part, i) => (i % 2 === 0 ? JSON.stringify(part) : `string(${values[Number(part)] ?? '""'})`));
  return made.filter((part) => part !== '""').join(' + ') || '""';
}

export function meaningsAt(sight: GithubNames): NameMeanings {
  return { read: (path) => read(sight, path), call };
}

function read(sight: GithubNames, { name, path }: NamePath): string {
  const [first, ...rest] = path;
  const key = String(first ?? '');
  switch (name) {
    case 'github':
      return ofContext(sight, key, rest);
    case 'inputs':
      return joined(
        'inputs',
        path.map((one) => (typeof one === 'string' ? inputName(one) : one)),
      );
    case 'secrets':
      if (key === '') break;
      return `secrets.${key}`;
    case 'env': {
      const value = sight.env[key];
      const code = typeof value === 'string' ? onlyExpression(value, githubMarks) : undefined;
      if (code !== undefined) return celOf(readGithub(code), meaningsAt({ ...sight, env: without(sight.env, key) }));
      if (typeof value === 'string' && value.includes('${{'))
        throw new UnmappedError(`env.${key} is made of several parts`);
      if (value !== undefined) return JSON.stringify(wordOf(value));
      throw new UnmappedError(`env.${key} is set while the job runs`);
    }
    case 'vars':
      return `inputs.${sight.takeInput(key)}`;
    case 'steps':
      return ofStep(sight, key, rest);
    case 'needs': {
      const found = sight.need(key, rest);
      if (found !== undefined) return found;
      break;
    }
    case 'matrix':
      if (sight.isInMatrix) return joined('matrix', path);
      break;
  }
  throw new UnmappedError(`${[name, ...path.slice(0, 2)].join('.')} has no counterpart`);
}

const without = (env: Readonly<Record<string, Json>>, key: string): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== key));

function ofContext({ hasEvent, takeInput }: GithubNames, key: string, rest: readonly PathPart[]): string {
  if (Object.hasOwn(ofGithub, key)) return ofGithub[key] ?? '';
  if (key === 'event' && rest[0] === 'inputs')
    return joined(
      'inputs',
      rest.slice(1).map((one) => inputName(String(one))),
    );
  if (key === 'token') return 'secrets.GITHUB_TOKEN';
  if (hasEvent && key === 'event') return joined('inputs.event', rest);
  if (hasEvent && Object.hasOwn(ofEvent, key)) return ofEvent[key] ?? '';
  if (key === 'event') throw new UnmappedError('no event starts this workflow');
  return `inputs.${takeInput(key)}`;
}

function ofStep({ step }: GithubNames, id: string, [field, ...rest]: readonly PathPart[]): string {
  const found = step(id);
  if (found === undefined) throw new UnmappedError(`there is no step "${id}" before it`);
  const base = found.isOptional ? `steps.?${found.id}` : `steps.${found.id}`;
  const dot = found.isOptional ? '.?' : '.';
  if (field === 'outputs')
    return found.isOptional ? optionalPath(base, ['output', ...rest]) : joined(`${base}.output`, rest);
  if (field === 'outcome' || field === 'conclusion') return `${base}${dot}status`;
  throw new UnmappedError(`steps.${id}.${String(field)} has no counterpart`);
}

/** Names of inputs as expressions can read them. */
export const inputName = (name: string): string => name.replace(/\W/g, '_').replace(/^(?=\d)/, '_');

/** `failure` of GitHub is `failed` here. */
const withStatuses = (cel: string): string =>
  cel.replaceAll(
    /(\.\??status (?:==|!=) )"(success|failure)"/g,
    (_, before: string, status: string) => `${before}"${statusOf[status]}"`,
  );

export function valueOf(importing: Import, value: Json, pointer: string, sight: GithubNames): Json {
  const meanings = meaningsAt(sight);
  return mapTexts(value, pointer, (text, at) => withStatuses(importing.template(text, at, meanings)));
}

/** `if`: with or without braces. */
export function conditionOf(
  importing: Import,
  value: Json | undefined,
  pointer: string,
  sight: GithubNames,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return wordOf(value);
  const code = onlyExpression(value, githubMarks) ?? value;
  return withStatuses(importing.expression(code, pointer, meaningsAt(sight)));
}

/** The values of an `env`, without those that only the runner knows. */
export const environmentOf = (importing: Import, env: JsonObject, pointer: string, sight: GithubNames): JsonObject =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      typeof value === 'string' ? valueOf(importing, value, childOf(pointer, name), sight) : wordOf(value),
    ]),
  );
