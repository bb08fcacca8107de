/** Translates the jobs of a workflow of GitHub Actions: a graph of groups, and those that run after a failure. */
import { childOf } from '@baton/expressions';
import { type Json, defined } from '@baton/primitives';

import { type PathPart, joined } from '../expression/celOf.ts';
import type { Import, StepDraft } from '../importing.ts';
import { mapOf, textOf } from '../json.ts';
import { githubMarks, onlyExpression, withoutExpressions } from '../marked.ts';
import { slugOf, StepIds, titled } from '../stepIds.ts';
import { conditionOf, meaningsAt, statusOf, valueOf } from './githubExpressions.ts';
import { type JobGraph, jobGraph, needsOf } from './githubGraph.ts';
import { combinationsOf } from './githubMatrix.ts';
import { type GithubEvents, type GithubNames, inputName } from './githubNames.ts';
import { noteJob, noteMatrix } from './githubRunner.ts';
import { withStatuses } from './githubStatuses.ts';
import { type GithubJob, type JobDraft, type RunDefaults, ignores, stepsOfJob, timeout } from './githubSteps.ts';

export interface JobsDraft {
  readonly steps: readonly StepDraft[];
  readonly finally: readonly StepDraft[];
  readonly timeout?: Json;
}

interface JobsParts {
  readonly importing: Import;
  readonly events: GithubEvents;
  readonly jobs: readonly GithubJob[];
  readonly workflowDefaults: RunDefaults;
}

export class GithubJobs {
  readonly #importing: Import;
  readonly #events: GithubEvents;
  readonly #jobs: readonly GithubJob[];
  readonly #workflowDefaults: RunDefaults;
  readonly #graph: JobGraph;
  readonly #ids = new StepIds();
  readonly #groups = new Map<string, string>();
  readonly #importedJobs = new Map<string, JobDraft>();

  constructor({ importing, events, jobs, workflowDefaults }: JobsParts) {
    this.#importing = importing;
    this.#events = events;
    this.#jobs = jobs;
    this.#workflowDefaults = workflowDefaults;
    this.#graph = jobGraph(jobs);
    for (const { name } of jobs) this.#groups.set(name, this.#ids.take(name, 'job'));
  }

  all(): JobsDraft {
    for (const job of this.#jobs) noteJob(this.#importing, job);
    const [only] = this.#jobs;
    const isOne = this.#jobs.length === 1 && only !== undefined && only.fields['strategy'] === undefined;
    return isOne ? this.#onlyJob(only) : this.#jobsInParallel();
  }

  /** What `concurrency` of the workflow and `outputs` of a called one can read. */
  workflowNames(): GithubNames {
    return {
      env: this.#workflowDefaults.env,
      events: this.#events,
      step: () => undefined,
      need: (job, path) => this.#outputOf(job, path, false),
      job: undefined,
      isInMatrix: false,
      isLate: false,
    };
  }

  /** The only job: its steps become those of the workflow. */
  #onlyJob(job: GithubJob): JobsDraft {
    const { fields, pointer } = job;
    const { steps, finally: finallySteps, names } = this.#importJob(job);
    const when = conditionOf(this.#importing, fields['if'], childOf(pointer, 'if'), names);
    const reusable = this.#reusable(job, names);
    const own = reusable === undefined ? steps : [reusable];
    const isPlain = when === undefined && !ignores(this.#importing, fields, pointer);
    const group = { ...defined({ if: when }), steps: [...own], ...this.#policies(job) };
    return { steps: isPlain ? own : [group], finally: finallySteps, ...(isPlain ? this.#policies(job) : {}) };
  }

  /** Several jobs. Jobs that others need come first, because expressions read their outputs. */
  #jobsInParallel(): JobsDraft {
    const { early, late } = this.#graph;
    const steps = early.map((job) => this.#group(job));
    if (this.#graph.hasBeside) this.#noteFirstFailure();
    return {
      steps: steps.length < 2 ? steps : [{ parallel: steps }],
      finally: late.map((job) => this.#group(job)),
    };
  }

  #noteFirstFailure(): void {
    const message = 'When a job fails, Baton stops the jobs that run beside it; GitHub lets them end.';
    this.#importing.noteOnce('differs', { pointer: '/jobs', at: 'key', message });
  }

  #group(job: GithubJob): StepDraft {
    const { name, fields } = job;
    const isLate = this.#graph.isLate(name);
    const id = this.#groups.get(name) ?? name;
    const { steps, finally: finallySteps, names } = this.#importJob(job);
    const when = this.#condition(job, { ...names, isLate });
    const needs = isLate ? [] : needsOf(fields).flatMap((one) => this.#groups.get(one) ?? []);
    const head: StepDraft = {
      id,
      ...titled(withoutExpressions(textOf(fields['name']) ?? name, githubMarks), id),
      ...(needs.length === 0 ? {} : { needs }),
      ...defined({ if: when }),
    };
    const tail = this.#policies(job);
    const reusable = this.#reusable(job, names);
    const own: Json[] = steps.length === 0 ? [{ set: { done: true } }] : [...steps];
    const group: StepDraft = reusable ?? {
      steps: own,
      ...(finallySteps.length === 0 ? {} : { finally: [...finallySteps] }),
    };
    if (mapOf(fields['strategy'])['matrix'] === undefined) return { ...head, ...group, ...tail };
    return {
      ...head,
      ...this.#matrix(job, reusable === undefined && finallySteps.length === 0 ? own : [group], names),
      ...tail,
    };
  }

  /** A loop over the combinations. Where its jobs do not stop each other, the loop fails after the last of them. */
  #matrix({ name, fields, pointer }: GithubJob, steps: Json[], names: GithubNames): StepDraft {
    const strategy = mapOf(fields['strategy']);
    const at = childOf(pointer, 'strategy');
    const loop: StepDraft = {
      forEach: combinationsOf(this.#importing, strategy['matrix'] ?? {}, childOf(at, 'matrix'), names),
      as: 'matrix',
      ...(typeof strategy['max-parallel'] === 'number' ? { maxParallel: strategy['max-parallel'] } : {}),
    };
    noteMatrix(this.#importing, strategy, at);
    if (strategy['fail-fast'] !== false) return { ...loop, steps };
    const id = this.#ids.take(`${this.#groups.get(name) ?? name} jobs`, 'jobs');
    return {
      steps: [
        { id, ...loop, onItemError: 'collect', collect: true, steps },
        { if: `steps.${id}.output.exists(one, one != true)`, fail: `A job of the matrix "${name}" failed.` },
      ],
    };
  }

  /** `if` of a job, and what GitHub adds: that no job which it needs was skipped, or, after a failure, has failed. */
  #condition({ fields, pointer, name }: GithubJob, names: GithubNames): string | undefined {
    const own = conditionOf(this.#importing, fields['if'], childOf(pointer, 'if'), names);
    const checksItself = this.#graph.asksForStatus(name);
    const needs = checksItself ? [] : needsOf(fields).filter((one) => names.isLate || this.#graph.maySkip(one));
    const implied = needs.flatMap((one) => {
      const id = this.#groups.get(one);
      if (id === undefined) return [];
      if (names.isLate) return [`steps.?${id}.?status.orValue("skipped") == "succeeded"`];
      return [`steps.${id}.status != "skipped"`];
    });
    const isBare = own === undefined || /^true(?: && true)*$/.test(own);
    const stated = isBare ? [] : [implied.length > 0 && own.includes('||') ? `(${own})` : own];
    const all = [...implied, ...stated];
    return all.length === 0 ? undefined : all.join(' && ');
  }

  #policies({ fields, pointer }: GithubJob): StepDraft {
    return {
      ...timeout(this.#importing, fields, pointer),
      ...(fields['continue-on-error'] === true ? { onError: 'ignore' } : {}),
    };
  }

  #importJob(job: GithubJob): JobDraft {
    const { name, fields } = job;
    const needs = needsOf(fields);
    const isLate = this.#graph.isLate(name);
    const draft = stepsOfJob({
      importing: this.#importing,
      ids: this.#ids,
      job,
      names: {
        env: this.#workflowDefaults.env,
        events: this.#events,
        job: name,
        isInMatrix: mapOf(fields['strategy'])['matrix'] !== undefined,
        isLate: false,
        need: (other, path) => (needs.includes(other) ? this.#outputOf(other, path, isLate) : undefined),
      },
      workflowDefaults: this.#workflowDefaults,
    });
    this.#importedJobs.set(name, draft);
    return draft;
  }

  /** The CEL of `needs.build.outputs.tag`: the expression that the job declares for that output. */
  #outputOf(job: string, [field, name, ...rest]: readonly PathPart[], isLate: boolean): string | undefined {
    const group = this.#groups.get(job);
    const draft = this.#importedJobs.get(job);
    if (group === undefined || draft === undefined) return undefined;
    if (field === 'result') return statusOf(group, isLate);
    const { fields, pointer } = this.#jobs.find((one) => one.name === job) ?? noJob;
    if (field !== 'outputs' || mapOf(fields['strategy'])['matrix'] !== undefined) return undefined;
    const isSkippable = isLate || this.#graph.maySkip(job);
    if (textOf(fields['uses']) !== undefined)
      return joined(
        isSkippable ? `steps.?${group}.?output.?${String(name)}` : `steps.${group}.output.${String(name)}`,
        rest,
      );
    const code = onlyExpression(textOf(mapOf(fields['outputs'])[String(name)]) ?? '', githubMarks);
    if (code === undefined) return undefined;
    const at = childOf(childOf(pointer, 'outputs'), String(name));
    const names = { ...draft.names, isLate: isSkippable };
    const meanings = meaningsAt(names, { importing: this.#importing, pointer: at });
    return joined(withStatuses(this.#importing.expression(code, at, meanings)), rest);
  }

  #reusable({ fields, pointer, name }: GithubJob, names: GithubNames): StepDraft | undefined {
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
    if (fields['secrets'] !== undefined) {
      const secrets = 'A called workflow gets no secrets of its caller: it reads the stored ones.';
      this.#importing.note('differs', { pointer: childOf(pointer, 'secrets'), at: 'key', message: secrets });
    }
    const values = mapOf(valueOf(this.#importing, mapOf(fields['with']), childOf(pointer, 'with'), names));
    const inputs = Object.fromEntries(Object.entries(values).map(([key, value]) => [inputName(key), value]));
    return { workflow, ...(Object.keys(inputs).length === 0 ? {} : { with: inputs }) };
  }
}

const noJob: GithubJob = { name: '', fields: {}, pointer: '' };
