/** Imports a workflow of GitHub Actions: jobs become groups, steps become calls of tools. */
import type { ForeignText, Json, JsonObject } from '@baton/language';
import { childOf, interpolated } from '@baton/language';

import type { PathPart } from '../expression/celOf.ts';
import { joined } from '../expression/celOf.ts';
import { readGithub } from '../expression/readGithub.ts';
import type { ImportedWorkflow, StepDraft } from '../importing.ts';
import { Import } from '../importing.ts';
import { listOf, mapOf, textOf } from '../json.ts';
import { githubMarks, onlyExpression, withoutExpressions } from '../marked.ts';
import { slugOf, StepIds, titled } from '../names.ts';
import type { GithubNames } from './githubExpressions.ts';
import { conditionOf, inputName, meaningsAt, valueOf } from './githubExpressions.ts';
import type { GithubJob, JobDraft } from './githubSteps.ts';
import { stepsOfJob, timeout } from './githubSteps.ts';
import type { GithubStart } from './githubTriggers.ts';
import { startOf } from './githubTriggers.ts';

/** `text.value`: a map with `jobs`. `file`: its name, for a workflow that has none. */
export function importGithub(text: ForeignText, file: string): ImportedWorkflow {
  const importing = new Import(text, { marks: githubMarks, read: readGithub });
  const root = mapOf(text.value ?? null);
  const start = startOf(importing, root['on'] ?? root['true']);
  const jobs = Object.entries(mapOf(root['jobs'])).map(([name, fields]): GithubJob => ({
    name,
    fields: mapOf(fields),
    pointer: childOf('/jobs', name),
  }));
  const drawing = new Jobs(importing, start, jobs, mapOf(root['env']));
  const [only] = jobs;
  const isOne = jobs.length === 1 && only !== undefined && mapOf(only.fields['strategy'])['matrix'] === undefined;
  const made = isOne ? drawing.alone(only) : { steps: drawing.beside() };
  const name = textOf(root['name']) ?? file;
  const id = slugOf(name, 'imported');
  const inputs = { ...start.inputs, ...drawing.inputs };
  const { steps, ...rest } = made;
  return {
    workflow: {
      workflow: id,
      ...(id === name ? {} : { title: name.slice(0, 120) }),
      ...(start.on.length === 0 ? {} : { on: start.on }),
      ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
      ...drawing.concurrency(root['concurrency'], '/concurrency'),
      steps: steps.length === 0 ? [{ set: { imported: true } }] : steps,
      ...rest,
    },
    findings: importing.findings,
    servers: importing.servers,
  };
}

class Jobs {
  readonly inputs: Record<string, Json> = {};
  readonly #importing: Import;
  readonly #start: GithubStart;
  readonly #jobs: readonly GithubJob[];
  readonly #env: JsonObject;
  readonly #ids = new StepIds();
  readonly #groups = new Map<string, string>();
  readonly #drawn = new Map<string, JobDraft>();

  constructor(importing: Import, start: GithubStart, jobs: readonly GithubJob[], env: JsonObject) {
    this.#importing = importing;
    this.#start = start;
    this.#jobs = jobs;
    this.#env = env;
    for (const { name } of jobs) this.#groups.set(name, this.#ids.take(name, 'job'));
  }

  /** Imports the only job: its steps become those of the workflow. */
  alone(job: GithubJob): { readonly steps: readonly StepDraft[] } & JsonObject {
    this.#noteRunner(job);
    const { steps, finally: late, sight } = this.#draft(job);
    const when = conditionOf(this.#importing, job.fields['if'], childOf(job.pointer, 'if'), sight);
    const { timeout: most } = timeout(job.fields['timeout-minutes']);
    const reusable = this.#reusable(job, sight);
    const own = reusable === undefined ? steps : [reusable];
    return {
      steps: when === undefined ? own : [{ if: when, steps: [...own] }],
      ...(late.length === 0 ? {} : { finally: [...late] }),
      ...(most === undefined ? {} : { timeout: most }),
    };
  }

  /** Imports several jobs. Jobs that others need come first, because expressions read their outputs. */
  beside(): StepDraft[] {
    const steps = inOrder(this.#jobs).map((job) => this.#group(job));
    return steps.length === 1 ? steps : [{ parallel: steps }];
  }

  concurrency(given: Json | undefined, pointer: string): JsonObject {
    if (given === undefined) return {};
    const group = textOf(given) ?? textOf(mapOf(given)['group']);
    if (group === undefined) return {};
    const key = valueOf(
      this.#importing,
      group,
      pointer,
      this.#around([], false, () => undefined),
    );
    const replaces = mapOf(given)['cancel-in-progress'] === true;
    return { concurrency: { key, ...(replaces ? { whenFull: 'replace' } : {}) } };
  }

  #group(job: GithubJob): StepDraft {
    this.#noteRunner(job);
    const { name, fields, pointer } = job;
    const matrix = mapOf(fields['strategy'])['matrix'];
    const id = this.#groups.get(name) ?? name;
    const { steps, finally: late, sight } = this.#draft(job);
    const when = conditionOf(this.#importing, fields['if'], childOf(pointer, 'if'), sight);
    const needs = needsOf(fields).flatMap((one) => this.#groups.get(one) ?? []);
    const head: StepDraft = {
      id,
      ...titled(withoutExpressions(textOf(fields['name']) ?? name, githubMarks), id),
      ...(needs.length === 0 || this.#jobs.length === 1 ? {} : { needs }),
      ...(when === undefined ? {} : { if: when }),
    };
    const tail: StepDraft = {
      ...timeout(fields['timeout-minutes']),
      ...(fields['continue-on-error'] === true ? { onError: 'ignore' } : {}),
    };
    const reusable = this.#reusable(job, sight);
    if (reusable !== undefined) return { ...head, ...reusable, ...tail };
    const own: Json[] = steps.length === 0 ? [{ set: { done: true } }] : [...steps];
    const group: StepDraft = { steps: own, ...(late.length === 0 ? {} : { finally: [...late] }) };
    if (matrix === undefined) return { ...head, ...group, ...tail };
    const strategy = mapOf(fields['strategy']);
    return {
      ...head,
      forEach: this.#combinations(matrix, childOf(childOf(pointer, 'strategy'), 'matrix'), sight),
      as: 'matrix',
      ...(typeof strategy['max-parallel'] === 'number' ? { maxParallel: strategy['max-parallel'] } : {}),
      ...(strategy['fail-fast'] === false ? { onItemError: 'collect', collect: true } : {}),
      steps: late.length === 0 ? own : [group],
      ...tail,
    };
  }

  #draft(job: GithubJob): JobDraft {
    const isInMatrix = mapOf(job.fields['strategy'])['matrix'] !== undefined;
    const around = this.#around(needsOf(job.fields), isInMatrix, (of) => this.#drawn.get(of));
    const draft = stepsOfJob({
      importing: this.#importing,
      ids: this.#ids,
      job,
      sight: around,
      workflowEnv: this.#env,
    });
    this.#drawn.set(job.name, draft);
    return draft;
  }

  #around(needs: readonly string[], isInMatrix: boolean, drawn: (job: string) => JobDraft | undefined): GithubNames {
    return {
      env: this.#env,
      hasEvent: this.#start.hasEvent,
      isInMatrix,
      step: () => undefined,
      takeInput: (name) => {
        const input = inputName(name);
        this.inputs[input] ??= { type: 'string' };
        return input;
      },
      need: (job, path) => (needs.includes(job) ? this.#outputOf(job, path, drawn(job)) : undefined),
    };
  }

  /** The CEL of `needs.build.outputs.tag`: the expression that the job declares for that output. */
  #outputOf(job: string, [field, name, ...rest]: readonly PathPart[], draft: JobDraft | undefined): string | undefined {
    const group = this.#groups.get(job);
    if (field === 'result' && group !== undefined) return `steps.${group}.status`;
    const { fields, pointer } = this.#jobs.find((one) => one.name === job) ?? nowhere;
    const written = textOf(mapOf(fields['outputs'])[String(name)]);
    const code = onlyExpression(written ?? '', githubMarks);
    if (field !== 'outputs' || code === undefined || draft === undefined) return undefined;
    const at = childOf(childOf(pointer, 'outputs'), String(name));
    return joined(this.#importing.expression(code, at, meaningsAt(draft.sight)), rest);
  }

  #reusable({ fields, pointer, name }: GithubJob, sight: GithubNames): StepDraft | undefined {
    const uses = textOf(fields['uses']);
    if (uses === undefined) return undefined;
    const file =
      uses
        .split('@')[0]
        ?.split('/')
        .at(-1)
        ?.replace(/\.ya?ml$/, '') ?? name;
    const workflow = slugOf(file, 'other');
    const message = `It runs the workflow "${workflow}", which has to be imported and deployed under that name.`;
    this.#importing.note('differs', { pointer: childOf(pointer, 'uses'), message });
    const given = mapOf(valueOf(this.#importing, mapOf(fields['with']), childOf(pointer, 'with'), sight));
    const inputs = Object.fromEntries(Object.entries(given).map(([key, value]) => [inputName(key), value]));
    return { workflow, ...(Object.keys(inputs).length === 0 ? {} : { with: inputs }) };
  }

  /** Every combination of a matrix, as items of a loop. */
  #combinations(matrix: Json, pointer: string, sight: GithubNames): Json {
    if (typeof matrix === 'string') return valueOf(this.#importing, matrix, pointer, sight);
    const { include, exclude, ...axes } = mapOf(matrix);
    const computed = Object.entries(axes).find(([, values]) => !Array.isArray(values));
    if (computed !== undefined) {
      const [name, values] = computed;
      const list = valueOf(this.#importing, values, childOf(pointer, name), sight);
      const [, code] = /^\$\{\{ ([^]*) \}\}$/.exec(textOf(list) ?? '') ?? [];
      if (code === undefined)
        return interpolated(this.#importing.unmapped(JSON.stringify(values), childOf(pointer, name), 'it is no list'));
      return interpolated(`${code}.map(one, {${JSON.stringify(name)}: one})`);
    }
    const count = Object.values(axes).reduce((product: number, values) => product * listOf(values).length, 1);
    if (count > jobsMost) {
      const message = `A matrix has ${jobsMost} jobs at the most, and this one ${count}.`;
      const hint = 'replace notImported(…) with the list of its combinations';
      this.#importing.note('expression-not-imported', { pointer, at: 'key', message, hint });
      return interpolated('notImported("matrix")');
    }
    const all = Object.entries(axes).reduce<JsonObject[]>(
      (made, [name, values]) => made.flatMap((one) => listOf(values).map((value) => ({ ...one, [name]: value }))),
      [{}],
    );
    const left = all.filter((one) => !listOf(exclude).some((other) => isWithin(mapOf(other), one)));
    const grown = left.map((one): JsonObject => {
      const added = listOf(include).filter((other) => fitsAxes(mapOf(other), one, axes));
      return Object.assign({}, one, ...added) as JsonObject;
    });
    const apart = listOf(include).filter((other) => !left.some((one) => fitsAxes(mapOf(other), one, axes)));
    const isEmpty = Object.keys(axes).length === 0;
    return valueOf(
      this.#importing,
      [...(isEmpty ? [] : grown), ...(isEmpty ? listOf(include) : apart)],
      pointer,
      sight,
    );
  }

  #noteRunner({ fields, pointer }: GithubJob): void {
    const told: Readonly<Record<string, string>> = {
      services: 'Baton starts no services: run them yourself.',
      container: 'Tools run where their MCP server runs, and not in this container.',
      environment: 'Baton has no environments. Where a reviewer has to approve, write an `ask` step.',
    };
    for (const [key, message] of Object.entries(told))
      if (fields[key] !== undefined)
        this.#importing.note('left-out', { pointer: childOf(pointer, key), at: 'key', message });
  }
}

/** The limit for one matrix, as on GitHub. */
const jobsMost = 256;

const nowhere: GithubJob = { name: '', fields: {}, pointer: '' };

const needsOf = (fields: JsonObject): readonly string[] => {
  const { needs } = fields;
  return typeof needs === 'string' ? [needs] : listOf(needs).flatMap((one) => textOf(one) ?? []);
};

function inOrder(jobs: readonly GithubJob[]): readonly GithubJob[] {
  const ordered: GithubJob[] = [];
  const left = new Set(jobs);
  while (left.size > 0) {
    const ready = [...left].filter(({ fields }) =>
      needsOf(fields).every((name) => ![...left].some((one) => one.name === name)),
    );
    // Jobs that need each other do not run on GitHub either.
    const next = ready.length === 0 ? [...left] : ready;
    ordered.push(...next);
    for (const one of next) left.delete(one);
  }
  return ordered;
}

const isWithin = (part: JsonObject, whole: JsonObject): boolean =>
  Object.entries(part).every(([key, value]) => JSON.stringify(whole[key]) === JSON.stringify(value));

/** An entry of `include` adds to the combinations whose axes it does not change. */
function fitsAxes(entry: JsonObject, one: JsonObject, axes: JsonObject): boolean {
  const shared = Object.entries(entry).filter(([key]) => Object.hasOwn(axes, key));
  return shared.every(([key, value]) => JSON.stringify(one[key]) === JSON.stringify(value));
}
