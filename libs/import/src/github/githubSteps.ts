/** Translates the steps of one job of GitHub Actions. */
import type { Json, JsonObject } from '@baton/language';
import { childOf, excerpt } from '@baton/language';

import type { Import, StepDraft } from '../importing.ts';
import { listOf, mapOf, textOf } from '../json.ts';
import { githubMarks, withoutExpressions } from '../marked.ts';
import type { StepIds } from '../names.ts';
import { slugOf, titled } from '../names.ts';
import type { GithubNames } from './githubExpressions.ts';
import { conditionOf, environmentOf, valueOf } from './githubExpressions.ts';

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
  readonly sight: Omit<GithubNames, 'step'>;
  readonly workflowEnv: JsonObject;
}

export interface JobDraft {
  readonly steps: readonly StepDraft[];
  /** Steps that also run after a failure. */
  readonly finally: readonly StepDraft[];
  readonly sight: GithubNames;
}

/** Actions that prepare a runner, which Baton does not have. */
const preparing = /^actions\/(?:setup-|cache)|^ruby\/setup-ruby|^docker\/setup-|^gradle\/actions\/setup/;
/** A step with one of these runs also after a failure. */
const late = /\b(?:always|failure|cancelled)\(\)/;

interface StepPlace {
  readonly id: string;
  readonly isOptional: boolean;
}

export function stepsOfJob({ importing, ids, job, sight: around, workflowEnv }: JobParts): JobDraft {
  const { fields, pointer } = job;
  const known = new Map<string, StepPlace>();
  const sight: GithubNames = {
    ...around,
    env: { ...workflowEnv, ...mapOf(fields['env']) },
    step: (id) => known.get(id),
  };
  const made: { step: StepDraft; isLate: boolean }[] = [];
  for (const [i, one] of listOf(fields['steps']).entries()) {
    const step = mapOf(one);
    const at = childOf(childOf(pointer, 'steps'), i);
    const own = { ...sight, env: { ...sight.env, ...mapOf(step['env']) } };
    const drawn = stepOf(importing, { step, at, job: job.fields, sight: own, workflowEnv });
    if (drawn === undefined) continue;
    const name =
      textOf(step['name']) ?? textOf(step['uses'])?.replace(/@.*$/, '').split('/').at(-1) ?? firstWords(step);
    const written = textOf(step['id']);
    const id = ids.take(written ?? name, 'step');
    const when = conditionOf(importing, step['if'], childOf(at, 'if'), own);
    const isLate = typeof step['if'] === 'string' && late.test(step['if']);
    const isIgnored = step['continue-on-error'] === true;
    if (written !== undefined) known.set(written, { id, isOptional: isLate || isIgnored || when !== undefined });
    made.push({
      isLate,
      step: {
        id,
        ...titled(withoutExpressions(name, githubMarks), id),
        ...(when === undefined || when === 'true' || when === 'true && true' ? {} : { if: when }),
        ...drawn,
        ...timeout(step['timeout-minutes']),
        ...(isIgnored ? { onError: 'ignore' } : {}),
      },
    });
  }
  return {
    steps: made.flatMap(({ step, isLate }) => (isLate ? [] : [step])),
    finally: made.flatMap(({ step, isLate }) => (isLate ? [step] : [])),
    sight,
  };
}

const firstWords = (step: JsonObject): string =>
  (textOf(step['run']) ?? 'step').trim().split(/\s+/).slice(0, 2).join(' ');

export const timeout = (minutes: Json | undefined): StepDraft =>
  typeof minutes === 'number' && minutes >= 1 ? { timeout: `${Math.round(minutes)}m` } : {};

interface StepParts {
  readonly step: JsonObject;
  readonly at: string;
  readonly job: JsonObject;
  readonly sight: GithubNames;
  readonly workflowEnv: JsonObject;
}

function stepOf(importing: Import, { step, at, job, sight, workflowEnv }: StepParts): StepDraft | undefined {
  const uses = textOf(step['uses']);
  const given = valueOf(importing, mapOf(step['with']), childOf(at, 'with'), sight);
  if (uses === undefined) {
    const run = textOf(step['run']) ?? '';
    const folder =
      textOf(step['working-directory']) ?? textOf(mapOf(mapOf(job['defaults'])['run'])['working-directory']);
    const env = { ...workflowEnv, ...mapOf(job['env']), ...mapOf(step['env']) };
    return {
      tool: importing.neededTool('shell', 'run', {
        pointer: childOf(at, 'run'),
        was: 'A `run`',
        hint: 'give it the arguments command, folder and env; or call a tool that does this work',
      }),
      with: {
        command: valueOf(importing, run.trimEnd(), childOf(at, 'run'), sight),
        ...(folder === undefined
          ? {}
          : { folder: valueOf(importing, folder, childOf(at, 'working-directory'), sight) }),
        ...(Object.keys(env).length === 0 ? {} : { env: environmentOf(importing, env, childOf(at, 'env'), sight) }),
      },
    };
  }
  const pointer = childOf(at, 'uses');
  if (preparing.test(uses)) {
    importing.note('left-out', { pointer, message: `${uses} prepares a runner, which Baton does not have.` });
    return undefined;
  }
  const [path = ''] = uses
    .replace(/^docker:\/\//, '')
    .replace(/^\.\//, '')
    .split('@');
  const [owner = 'local', ...rest] = path.split('/');
  const isLocal = uses.startsWith('.');
  const server = isLocal ? 'local' : slugOf(owner, 'actions');
  const target = slugOf((isLocal ? path.split('/').at(-1) : rest.join(' ')) ?? '', 'run').replaceAll('-', '_');
  const inputs = mapOf(given);
  return {
    tool: importing.neededTool(server, target === '' ? 'run' : target, {
      pointer,
      was: excerpt(uses, 60),
      hint: 'name the tool of an MCP server that does the work of this action',
    }),
    ...(Object.keys(inputs).length === 0 ? {} : { with: inputs }),
  };
}
