/** Translates the steps of one job of GitHub Actions. */
import { childOf, excerpt } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import { httpTool } from '../httpTool.ts';
import type { Import, StepDraft } from '../importing.ts';
import { listOf, mapOf, textOf } from '../json.ts';
import { githubMarks, partsOf, withoutExpressions } from '../marked.ts';
import { type StepIds, slugOf, titled } from '../stepIds.ts';
import { type CurlRequest, curlIn } from './curl.ts';
import { conditionOf, environmentOf, valueOf } from './githubExpressions.ts';
import { githubKeys } from './githubKeys.ts';
import type { GithubNames, ImportedStep } from './githubNames.ts';
import { noteRunnerFiles } from './githubRunnerFiles.ts';

export interface GithubJob {
  readonly name: string;
  readonly fields: JsonObject;
  readonly pointer: string;
}

export interface JobParts {
  readonly importing: Import;
  readonly ids: StepIds;
  readonly job: GithubJob;
  /** The names that the steps can read, without those of this job's steps. */
  readonly names: Omit<GithubNames, 'step'>;
  /** What the workflow gives to each `run`. */
  readonly workflowDefaults: RunDefaults;
}

/** What a `run` gets from the workflow and the job around it. */
export interface RunDefaults {
  readonly env: JsonObject;
  readonly defaults: JsonObject;
}

export interface JobDraft {
  readonly steps: readonly StepDraft[];
  /** Steps that also run after a failure. */
  readonly finally: readonly StepDraft[];
  readonly names: GithubNames;
}

/** Actions that prepare a runner, which Baton does not have. */
const preparing = /^actions\/(?:setup-|cache)|^ruby\/setup-ruby|^docker\/setup-|^gradle\/actions\/setup/;
/** A step or a job with one of these runs also after a failure. */
const statusCheck = /\b(?:always|failure|cancelled)\(\)/;

export const isLate = (condition: Json | undefined): boolean =>
  typeof condition === 'string' && statusCheck.test(condition);

export function stepsOfJob({ importing, ids, job, names: namesOfJob, workflowDefaults }: JobParts): JobDraft {
  const { fields, pointer } = job;
  const stepsById = new Map<string, ImportedStep>();
  const runs: RunDefaults = {
    env: { ...workflowDefaults.env, ...mapOf(fields['env']) },
    defaults: { ...workflowDefaults.defaults, ...runDefaults(importing, fields, pointer) },
  };
  const names: GithubNames = { ...namesOfJob, env: runs.env, step: (id) => stepsById.get(id) };
  const importedSteps: { step: StepDraft; isLate: boolean }[] = [];
  for (const [i, one] of listOf(fields['steps']).entries()) {
    const step = mapOf(one);
    const at = childOf(childOf(pointer, 'steps'), i);
    importing.noteOthers(step, githubKeys.step, at, 'a step');
    const isLast = isLate(step['if']);
    const namesOfStep = { ...names, isLate: names.isLate || isLast, env: { ...names.env, ...mapOf(step['env']) } };
    const draft = stepOf(importing, { step, at, names: namesOfStep, runs });
    if (draft === undefined) continue;
    const name = nameOf(step);
    const written = textOf(step['id']);
    const id = ids.take(written ?? name, 'step');
    const when = conditionOf(importing, step['if'], childOf(at, 'if'), namesOfStep);
    const isIgnored = ignores(importing, step, at);
    if (written !== undefined)
      stepsById.set(written, { id, isOptional: isLast || isIgnored || when !== undefined, isIgnored });
    if (importedSteps.some(({ isLate: isAfter }) => isAfter) && !isLast) noteOrder(importing, at);
    importedSteps.push({
      isLate: isLast,
      step: {
        id,
        ...titled(name, id),
        ...(when === undefined || /^true(?: && true)*$/.test(when) ? {} : { if: when }),
        ...draft,
        ...timeout(importing, step, at),
        ...(isIgnored ? { onError: 'ignore' } : {}),
      },
    });
  }
  return {
    steps: importedSteps.flatMap(({ step, isLate: isAfter }) => (isAfter ? [] : [step])),
    finally: importedSteps.flatMap(({ step, isLate: isAfter }) => (isAfter ? [step] : [])),
    names,
  };
}

function nameOf(step: JsonObject): string {
  const action = textOf(step['uses'])?.replace(/@.*$/, '').split('/').at(-1);
  return withoutExpressions(textOf(step['name']) ?? action ?? firstWords(step), githubMarks);
}

const firstWords = (step: JsonObject): string =>
  withoutExpressions(textOf(step['run']) ?? 'step', githubMarks)
    .trim()
    .split(/\s+/)
    .slice(0, 2)
    .join(' ');

function noteOrder(importing: Import, pointer: string): void {
  const message = 'A step before it runs also after a failure. Such steps run here after all others of the job.';
  importing.note('differs', { pointer, message });
}

/** `continue-on-error`: true, false or an expression. */
export function ignores(importing: Import, fields: JsonObject, pointer: string): boolean {
  const { 'continue-on-error': written } = fields;
  if (typeof written === 'string') {
    const message = 'Whether a failure is ignored cannot be computed: here it is not ignored.';
    importing.note('differs', { pointer: childOf(pointer, 'continue-on-error'), message });
  }
  return written === true;
}

export function timeout(importing: Import, fields: JsonObject, pointer: string): StepDraft {
  const { 'timeout-minutes': minutes } = fields;
  if (minutes === undefined) return {};
  if (typeof minutes === 'number' && minutes > 0)
    return { timeout: Number.isInteger(minutes) ? `${minutes}m` : `${Math.max(1, Math.round(minutes * 60))}s` };
  const message = 'A time limit that is computed is left out: here it is a duration.';
  importing.note('left-out', { pointer: childOf(pointer, 'timeout-minutes'), message });
  return {};
}

/** `defaults.run` of a workflow or a job. */
export function runDefaults(importing: Import, fields: JsonObject, pointer: string): JsonObject {
  const defaults = mapOf(fields['defaults']);
  const at = childOf(pointer, 'defaults');
  importing.noteOthers(defaults, githubKeys.defaults, at, 'defaults');
  importing.noteOthers(mapOf(defaults['run']), githubKeys.run, childOf(at, 'run'), 'defaults.run');
  return mapOf(defaults['run']);
}

interface StepParts {
  readonly step: JsonObject;
  readonly at: string;
  readonly names: GithubNames;
  readonly runs: RunDefaults;
}

function stepOf(importing: Import, parts: StepParts): StepDraft | undefined {
  const { step, at, names } = parts;
  const uses = textOf(step['uses']);
  if (uses === undefined) return runOf(importing, parts);
  const pointer = childOf(at, 'uses');
  if (preparing.test(uses)) {
    importing.note('left-out', { pointer, message: `${uses} prepares a runner, which Baton does not have.` });
    return undefined;
  }
  const given = mapOf(valueOf(importing, mapOf(step['with']), childOf(at, 'with'), names));
  const { server, target } = toolOf(uses);
  return {
    tool: importing.neededTool(server, target === '' ? 'run' : target, {
      pointer,
      was: excerpt(uses, 60),
      hint: 'name the tool of an MCP server that does the work of this action',
    }),
    ...(Object.keys(given).length === 0 ? {} : { with: given }),
  };
}

function toolOf(uses: string): { readonly server: string; readonly target: string } {
  const [path = ''] = uses
    .replace(/^docker:\/\//, '')
    .replace(/^\.\//, '')
    .split('@');
  const [owner = 'local', ...rest] = path.split('/');
  const isLocal = uses.startsWith('.');
  const name = (isLocal ? path.split('/').at(-1) : rest.join(' ')) ?? '';
  return {
    server: isLocal ? 'local' : slugOf(owner, 'actions'),
    target: slugOf(name, 'run').replaceAll('-', '_'),
  };
}

function runOf(importing: Import, { step, at, names, runs }: StepParts): StepDraft {
  const run = textOf(step['run']) ?? '';
  const env = { ...runs.env, ...mapOf(step['env']) };
  const pointer = childOf(at, 'run');
  noteRunnerFiles(importing, run, pointer);
  const request = curlIn(run);
  if (request !== undefined) return requestOf(importing, request, pointer, names);
  const argument = (key: string, name: string): JsonObject => {
    const written = textOf(step[key]) ?? textOf(runs.defaults[key]);
    return written === undefined ? {} : { [name]: valueOf(importing, written, childOf(at, key), names) };
  };
  noteOutsideValues(importing, run, pointer);
  return {
    tool: importing.neededTool('shell', 'run', {
      pointer,
      was: 'A `run`',
      hint: 'give it the arguments command, folder, shell and env; or call a tool that does this work',
    }),
    with: {
      command: valueOf(importing, run.trimEnd(), pointer, names),
      ...argument('working-directory', 'folder'),
      ...argument('shell', 'shell'),
      ...(Object.keys(env).length === 0 ? {} : { env: environmentOf(importing, env, childOf(at, 'env'), names) }),
    },
  };
}

/** A `run` that is one `curl`. */
function requestOf(importing: Import, request: CurlRequest, pointer: string, names: GithubNames): StepDraft {
  const { tool, body, headers, fails } = request;
  const written = (text: string): Json => valueOf(importing, text, pointer, names);
  const url = written(request.url);
  if (!fails) {
    const message = 'curl without `--fail` succeeds with any status; the tool fails where it is not one of 200 to 299.';
    importing.noteOnce('differs', { pointer, message, hint: 'list in `expect` the statuses that are an answer' });
  }
  return {
    tool: httpTool(importing, tool, url, pointer),
    with: {
      url,
      ...(Object.keys(headers).length === 0
        ? {}
        : { headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, written(text)])) }),
      ...(body === undefined ? {} : { body: written(body) }),
    },
  };
}

/** What a stranger may write: titles and texts of the event, and names of branches. */
const foreignValue = /\bgithub\s*(?:\.\s*(?:event|head_ref|ref_name|ref)\b(?!_)|\[)/i;

function noteOutsideValues(importing: Import, run: string, pointer: string): void {
  if (!partsOf(run, githubMarks).some((part, i) => i % 2 === 1 && foreignValue.test(part))) return;
  const message = 'A value from outside is a part of this command: who writes the value can run commands.';
  importing.note('input-in-command', {
    pointer,
    message,
    hint: 'give the value in `env`, and name the variable in the command, as "$TITLE"',
  });
}
