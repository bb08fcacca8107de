/** Imports a workflow of GitHub Actions: jobs become groups, steps become calls of tools. */
import { childOf, interpolated } from '@baton/expressions';
import type { ForeignText } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import { readGithub } from '../expression/readGithub.ts';
import { type ImportedWorkflow, Import } from '../importing.ts';
import { mapOf, textOf } from '../json.ts';
import { githubMarks } from '../marked.ts';
import { slugOf } from '../stepIds.ts';
import { valueOf } from './githubExpressions.ts';
import { GithubJobs } from './githubJobs.ts';
import { githubKeys } from './githubKeys.ts';
import { type GithubEvents, type GithubNames, inputName } from './githubNames.ts';
import { permissions } from './githubRunner.ts';
import { type GithubJob, runDefaults } from './githubSteps.ts';
import { type GithubStart, startOf } from './githubTriggers.ts';

/** `text.value`: a map with `jobs`. `file`: its name, for a workflow that has none. */
export function importGithub(text: ForeignText, file: string): ImportedWorkflow {
  const importing = new Import(text, { marks: githubMarks, read: readGithub });
  const root = mapOf(text.value ?? null);
  const name = textOf(root['name']) ?? file;
  const start = startOf(importing, root['on'] ?? root['true']);
  const taken = new TakenInputs();
  const events = eventsOf(start, name, taken);
  noteRoot(importing, root);
  const jobs = Object.entries(mapOf(root['jobs'])).map(([job, fields]): GithubJob => ({
    name: job,
    fields: mapOf(fields),
    pointer: childOf('/jobs', job),
  }));
  const workflowDefaults = { env: mapOf(root['env']), defaults: runDefaults(importing, root, '') };
  const jobsOfWorkflow = new GithubJobs({ importing, events, jobs, workflowDefaults });
  const { steps, finally: finallySteps, timeout } = jobsOfWorkflow.all();
  const workflowNames = jobsOfWorkflow.workflowNames();
  const concurrency = concurrencyOf(importing, root['concurrency'], workflowNames);
  const outputs = outputsOf(importing, start.outputs, workflowNames);
  const inputs = { ...start.inputs, ...taken.inputs };
  const on = taken.isEventNameTaken ? start.on.map(withEventName) : start.on;
  const id = slugOf(name, 'imported');
  return {
    workflow: {
      workflow: id,
      ...(id === name ? {} : { title: name.slice(0, 120) }),
      ...(on.length === 0 ? {} : { on }),
      ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
      ...concurrency,
      steps: steps.length === 0 ? [{ set: { imported: true } }] : steps,
      ...(finallySteps.length === 0 ? {} : { finally: finallySteps }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
    },
    findings: importing.findings,
    servers: importing.servers,
  };
}

/** Inputs that expressions read and the file does not declare. */
class TakenInputs {
  readonly inputs: Record<string, Json> = {};
  isEventNameTaken = false;

  take(name: string): string {
    const input = inputName(name);
    this.inputs[input] ??= { type: 'string' };
    return input;
  }

  takeEventName(): string {
    this.isEventNameTaken = true;
    this.inputs['event_name'] ??= { type: 'string', default: 'workflow_dispatch' };
    return 'inputs.event_name';
  }
}

const eventsOf = ({ hooks, hasOthers, inputs }: GithubStart, workflow: string, taken: TakenInputs): GithubEvents => ({
  workflow,
  hooks,
  hasOthers,
  typed: new Set(Object.keys(inputs).filter((name) => mapOf(inputs[name])['type'] !== 'string')),
  takeInput: (name) => taken.take(name),
  takeEventName: () => taken.takeEventName(),
});

/** Each trigger says which event it is. */
function withEventName(trigger: JsonObject): JsonObject {
  const name = 'schedule' in trigger ? 'schedule' : interpolated('event.headers["x-github-event"]');
  return { ...trigger, inputs: { ...mapOf(trigger['inputs']), event_name: name } };
}

function noteRoot(importing: Import, root: JsonObject): void {
  importing.noteOthers(root, githubKeys.workflow, '', 'a workflow');
  if (root['permissions'] === undefined) return;
  importing.noteOnce('left-out', { pointer: '/permissions', at: 'key', message: permissions() });
}

function concurrencyOf(importing: Import, concurrency: Json | undefined, names: GithubNames): JsonObject {
  const pointer = '/concurrency';
  const fields = mapOf(concurrency);
  const group = textOf(concurrency) ?? textOf(fields['group']);
  if (group === undefined) return {};
  importing.noteOthers(fields, githubKeys.concurrency, pointer, 'concurrency');
  const { 'cancel-in-progress': cancels } = fields;
  if (typeof cancels === 'string') {
    const message = 'Whether the run before is cancelled cannot be computed: here it is not.';
    importing.note('differs', { pointer: childOf(pointer, 'cancel-in-progress'), message });
  }
  if (cancels !== true) {
    const message = 'GitHub keeps one waiting run, and a newer one takes its place. Here all of them wait, in order.';
    importing.note('differs', { pointer, at: 'key', message, hint: 'whenFull: replace cancels the older runs' });
  }
  if (!group.includes('github.workflow')) {
    const message = 'A group counts the runs of all workflows of a repository; here only those of this workflow.';
    importing.note('differs', { pointer, at: 'key', message });
  }
  const key = valueOf(importing, group, textOf(concurrency) === undefined ? childOf(pointer, 'group') : pointer, names);
  return { concurrency: { key, ...(cancels === true ? { whenFull: 'replace' } : {}) } };
}

/** `on.workflow_call.outputs`. */
function outputsOf(importing: Import, outputs: JsonObject, names: GithubNames): JsonObject {
  const at = '/on/workflow_call/outputs';
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, one]) => {
      const written = textOf(mapOf(one)['value']);
      const pointer = childOf(childOf(at, name), 'value');
      return written === undefined ? [] : [[inputName(name), valueOf(importing, written, pointer, names)]];
    }),
  );
}
