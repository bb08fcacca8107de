/** Converts runs into the API's schemas. */
import { type Run as RunAnswer, type RunInList, type Step, type StepProgress, instant } from '@baton/api';
import {
  type AwaitedTurn,
  type Ensured,
  type Run,
  type RunRow,
  type StepStatus,
  type Trace,
  type TracedStep,
  type Value,
  ensuredIn,
  rowOf,
  runSentence,
  sentenceInput,
  stepMoves,
} from '@baton/engine';
import type { Plan } from '@baton/language';
import { type Json, defined } from '@baton/primitives';
import type { RunSummary } from '@baton/store';

import { isHidden } from './hiddenValues.ts';
import { shownSaid } from './saidOutcome.ts';
import { type ShowLimits, ValueDisplay } from './showValue.ts';

const stepsMax = 5_000;

/** Beyond this size lists show only the beginning of a value. */
const listedBytes = 1_024;

export function listedRun(run: RunSummary): RunInList {
  const showing = new ValueDisplay({ valueBytes: listedBytes, totalBytes: Number.POSITIVE_INFINITY });
  const { outputs, isCancelling, lastStep, waitsFor, retriedAs } = run;
  return {
    ...commonFields(run),
    ...defined({ lastStep, waitsFor, retriedAs }),
    inputs: showing.value(run.inputs),
    ...(outputs === undefined ? {} : { outputs: showing.value(outputs) }),
    ...(isCancelling ? { cancelRequested: true } : {}),
  };
}

export interface RunParts {
  readonly run: Run;
  readonly trace: Trace;
  readonly plan: Plan;
  /** The whole inputs. */
  readonly inputs: Json;
  readonly outputs: Json | undefined;
  /** The current time, for relative times in the run's sentence. */
  readonly nowMs: number;
  readonly awaitedTurn?: AwaitedTurn | undefined;
  /** Its newest retry. */
  readonly retriedAs?: string | undefined;
  /** Absent: those of the API. */
  readonly showLimits?: ShowLimits | undefined;
}

const usual: ShowLimits = { valueBytes: 64 * 1_024, totalBytes: 4 * 1_024 * 1_024 };

export function shownRun(parts: RunParts): RunAnswer {
  const { run, trace, plan, inputs, outputs, nowMs, awaitedTurn, retriedAs, showLimits = usual } = parts;
  const showing = new ValueDisplay(showLimits);
  const { steps } = trace;
  const row = rowOf(run);
  const omitted = Math.max(0, steps.length - stepsMax);
  const ensured = ensuredIn(steps);
  return {
    ...commonFields({ ...run, ...row }),
    inputs,
    ...defined({ via: run.via, outputs, retriedAs }),
    ...(row.isCancelling ? { cancelRequested: true } : {}),
    progress: run.session === undefined ? progressOf(trace, plan) : progressOfSession(trace),
    sentence: runSentence({ ...sentenceInput(run), awaitedTurn }, steps, nowMs),
    ...(ensured.length === 0 ? {} : { ensured: ensured.map(shownEnsured) }),
    steps: steps.slice(0, stepsMax).map((step) => shownStep(step, showing)),
    ...(omitted === 0 ? {} : { stepsOmitted: omitted }),
  };
}

const shownEnsured = ({ at, ...ensured }: Ensured) => ({
  ...ensured,
  ...(at === undefined ? {} : { at: instant(at) }),
});

type RunFields = Omit<RunInList, 'inputs' | 'outputs' | 'cancelRequested' | 'lastStep' | 'waitsFor' | 'retriedAs'>;

/** Fields that a folded run and a row of the list share. */
function commonFields(run: RunSummary | (Run & RunRow)): RunFields {
  const {
    id,
    workflow,
    version = null,
    status,
    trigger,
    by,
    tags,
    priority,
    failure,
    parent,
    rerunOf,
    questions,
    tokens,
    usd,
  } = run;
  const self = `/v1/runs/${id}`;
  return {
    id,
    workflow,
    version,
    status,
    trigger,
    by,
    tags: [...tags],
    priority,
    ...defined({ error: failure }),
    createdAt: instant(run.createdAt),
    ...(run.startedAt === undefined ? {} : { startedAt: instant(run.startedAt) }),
    ...(run.endedAt === undefined ? {} : { endedAt: instant(run.endedAt) }),
    ...(run.wakeAt === undefined ? {} : { wakeAt: instant(run.wakeAt) }),
    ...(questions === 0 ? {} : { questions }),
    ...(tokens === 0 && usd === 0 ? {} : { spent: { tokens, ...(usd === 0 ? {} : { usd }) } }),
    ...defined({ rerunOf, parent }),
    ...(isHidden(run.inputs) ? { valuesHidden: true as const } : {}),
    links: { self, events: `${self}/events` },
  };
}

const isOver = (status: StepStatus): boolean => stepMoves[status].length === 0;

function progressOf(trace: Trace, { steps: { steps } }: Plan): { finished: number; total: number } {
  const finished = steps.filter(({ key }) => isOver(trace.step(key)?.status ?? 'pending')).length;
  return { finished, total: steps.length };
}

/** The progress of a session: its calls. */
function progressOfSession({ steps }: Trace): { finished: number; total: number } {
  return { finished: steps.filter(({ status }) => isOver(status) || status === 'unknown').length, total: steps.length };
}

function shownStep(step: TracedStep, showing: ValueDisplay): Step {
  const { path, verb, target, status, value, failure, by, said, isCalledBefore: calledBefore, isKept: kept } = step;
  const progress = shownProgress(step);
  const given = argumentsOf(step);
  return {
    id: path.slice(path.lastIndexOf('/') + 1),
    path,
    verb,
    ...defined({ target }),
    status,
    attempts: step.attempts.map(({ n, status, startedAt, endedAt, failure, worker, session, login }) => ({
      n,
      status,
      startedAt: instant(startedAt),
      ...(endedAt === undefined ? {} : { endedAt: instant(endedAt) }),
      ...defined({ error: failure, worker, session, login }),
    })),
    ...defined({ progress }),
    ...(given === undefined ? {} : { arguments: showing.value(given) }),
    ...(value === undefined ? {} : { output: showing.output(verb, value) }),
    ...defined({ error: failure, by, said: shownSaid(said), calledBefore, kept }),
  };
}

function argumentsOf({ call, awaiting }: TracedStep): Value | undefined {
  if (call !== undefined) return call.verb === 'sample' ? call.request : call.arguments;
  if (awaiting?.for === 'sample') return awaiting.request;
  return awaiting?.for === 'child' ? awaiting.inputs : undefined;
}

function shownProgress({ progress, finished, total }: TracedStep): StepProgress | undefined {
  if (finished !== undefined) return { progress: finished, ...defined({ total }) };
  if (progress === undefined) return undefined;
  // The trace keeps the whole event; clients see what the server reported.
  const { progress: done, total: all, message } = progress;
  return {
    progress: done,
    ...defined({ total: all, message }),
  };
}
