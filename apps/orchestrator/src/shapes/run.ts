/** A run as programs read it. */
import type { Run, RunStatus, StepStatus, Trace, TracedStep } from '@baton/engine';
import { runMoves, stepMoves } from '@baton/engine';
import type { Json, Plan } from '@baton/language';
import type { RunSummary } from '@baton/store';
import * as z from 'zod';

import { Showing } from './showValue.ts';
import { AnyValue, Failure, Instant, instant, RunId, WorkflowName } from './values.ts';

const statusesOf = <Status extends string>(moves: Readonly<Record<Status, unknown>>): [Status, ...Status[]] =>
  Object.keys(moves) as [Status, ...Status[]];

export const RunStatuses = z.enum(statusesOf<RunStatus>(runMoves)).meta({ id: 'RunStatus' });
const StepStatuses = z.enum(statusesOf<StepStatus>(stepMoves)).meta({ id: 'StepStatus' });

const Attempt = z
  .strictObject({
    n: z.int(),
    status: StepStatuses,
    startedAt: Instant,
    endedAt: Instant.optional(),
    error: Failure.optional(),
    worker: z.string().optional(),
  })
  .meta({ id: 'Attempt' });

const StepProgress = z
  .strictObject({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
  .meta({ id: 'StepProgress', description: 'As the server told it, or how many items are finished.' });

const Step = z
  .strictObject({
    id: z.string().meta({ description: 'The last part of the path.' }),
    path: z.string(),
    verb: z.string(),
    target: z.string().optional().meta({ description: 'What is called or waited for.' }),
    status: StepStatuses,
    attempts: z.array(Attempt),
    progress: StepProgress.optional(),
    output: AnyValue.optional(),
    error: Failure.optional(),
    by: z.string().optional().meta({ description: 'Who answered, or signalled.' }),
  })
  .meta({ id: 'Step' });

const Parent = z
  .strictObject({ runId: RunId, path: z.string(), attempt: z.int() })
  .meta({ id: 'Parent', description: 'The attempt of a step that asked for the run.' });

const summary = {
  id: RunId,
  workflow: WorkflowName,
  version: z.int().nullable().meta({ description: 'null: the workflow was given inline.' }),
  status: RunStatuses,
  trigger: z.strictObject({ kind: z.string(), detail: AnyValue.optional() }),
  tags: z.array(z.string()),
  priority: z.int(),
  inputs: AnyValue,
  outputs: AnyValue.optional(),
  error: Failure.optional(),
  createdAt: Instant,
  startedAt: Instant.optional(),
  endedAt: Instant.optional(),
  wakeAt: Instant.optional().meta({ description: 'When time alone will change something.' }),
  cancelRequested: z.literal(true).optional(),
  questions: z.int().optional().meta({ description: 'How many are open; absent: none.' }),
  rerunOf: RunId.optional(),
  parent: Parent.optional(),
};

export const RunInList = z
  .strictObject({ ...summary, links: z.strictObject({ self: z.string(), events: z.string() }) })
  .meta({ id: 'RunInList', description: 'A run as lists show it: without its steps, large values left out.' });

export const RunShape = z
  .strictObject({
    ...summary,
    progress: z
      .strictObject({ finished: z.int(), total: z.int() })
      .meta({ description: 'Steps of the workflow’s own list: how many are over, and how many there are.' }),
    steps: z.array(Step),
    stepsOmitted: z.int().optional().meta({ description: 'Steps beyond the first 5,000; the events have them all.' }),
    links: z.strictObject({ self: z.string(), events: z.string() }),
  })
  .meta({ id: 'Run' });

type InList = z.infer<typeof RunInList>;

const stepsMax = 5_000;

/** Values beyond this stand in lists by their beginning only. */
const listedBytes = 1_024;

export function listedRun(run: RunSummary): InList {
  const showing = new Showing({ valueBytes: listedBytes, totalBytes: Number.POSITIVE_INFINITY });
  const { outputs, isCancelling } = run;
  return {
    ...common(run),
    inputs: showing.value(run.inputs),
    ...(outputs === undefined ? {} : { outputs: showing.value(outputs) }),
    ...(isCancelling ? { cancelRequested: true } : {}),
  };
}

export interface ShownRun {
  readonly run: Run;
  readonly trace: Trace;
  readonly plan: Plan;
  /** In full. */
  readonly inputs: Json;
  readonly outputs: Json | undefined;
}

export function shownRun({ run, trace, plan, inputs, outputs }: ShownRun): z.infer<typeof RunShape> {
  const showing = new Showing({ valueBytes: 64 * 1_024, totalBytes: 4 * 1_024 * 1_024 });
  const { steps } = trace;
  const omitted = Math.max(0, steps.length - stepsMax);
  return {
    ...common(run),
    inputs,
    ...(outputs === undefined ? {} : { outputs }),
    ...(run.cancel !== undefined && run.endedAt === undefined ? { cancelRequested: true } : {}),
    progress: progressOf(trace, plan),
    steps: steps.slice(0, stepsMax).map((step) => shownStep(step, showing)),
    ...(omitted === 0 ? {} : { stepsOmitted: omitted }),
  };
}

type Common = Omit<InList, 'inputs' | 'outputs' | 'cancelRequested'>;

/** What a run that was folded and a row of the list have in common. */
function common(run: Omit<RunSummary, 'isCancelling'> | Run): Common {
  const { id, workflow, version = null, status, trigger, tags, priority, failure, parent, rerunOf, questions } = run;
  const self = `/v1/runs/${id}`;
  return {
    id,
    workflow,
    version,
    status,
    trigger,
    tags: [...tags],
    priority,
    ...(failure === undefined ? {} : { error: failure }),
    createdAt: instant(run.createdAt),
    ...(run.startedAt === undefined ? {} : { startedAt: instant(run.startedAt) }),
    ...(run.endedAt === undefined ? {} : { endedAt: instant(run.endedAt) }),
    ...(run.wakeAt === undefined ? {} : { wakeAt: instant(run.wakeAt) }),
    ...(questions === 0 ? {} : { questions }),
    ...(rerunOf === undefined ? {} : { rerunOf }),
    ...(parent === undefined ? {} : { parent }),
    links: { self, events: `${self}/events` },
  };
}

const isOver = (status: StepStatus): boolean => stepMoves[status].length === 0;

function progressOf(trace: Trace, { steps: { steps } }: Plan): { finished: number; total: number } {
  const finished = steps.filter(({ key }) => isOver(trace.step(key)?.status ?? 'pending')).length;
  return { finished, total: steps.length };
}

function shownStep(step: TracedStep, showing: Showing): z.infer<typeof Step> {
  const { path, verb, target, status, value, failure, by } = step;
  const progress = shownProgress(step);
  return {
    id: path.slice(path.lastIndexOf('/') + 1),
    path,
    verb,
    ...(target === undefined ? {} : { target }),
    status,
    attempts: step.attempts.map(({ n, status, startedAt, endedAt, failure, worker }) => ({
      n,
      status,
      startedAt: instant(startedAt),
      ...(endedAt === undefined ? {} : { endedAt: instant(endedAt) }),
      ...(failure === undefined ? {} : { error: failure }),
      ...(worker === undefined ? {} : { worker }),
    })),
    ...(progress === undefined ? {} : { progress }),
    ...(value === undefined ? {} : { output: showing.output(verb, value) }),
    ...(failure === undefined ? {} : { error: failure }),
    ...(by === undefined ? {} : { by }),
  };
}

function shownProgress({ progress, finished, total }: TracedStep): z.infer<typeof StepProgress> | undefined {
  if (finished !== undefined) return { progress: finished, ...(total === undefined ? {} : { total }) };
  if (progress === undefined) return undefined;
  // The trace keeps the whole event; what is told is what the server said.
  const { progress: done, total: all, message } = progress;
  return {
    progress: done,
    ...(all === undefined ? {} : { total: all }),
    ...(message === undefined ? {} : { message }),
  };
}
