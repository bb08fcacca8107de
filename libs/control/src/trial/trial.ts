/** Simulates a run without side effects: the engine decides; answers are given, recorded, or generated from schemas. */
import { type SimulatedCall, type TracedStep, play, stateAfter, stateAt, Trace } from '@baton/engine';
import { limits, validateInputs } from '@baton/expressions';
import type { Plan } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import { ValueDisplay } from '../shapes/showValue.ts';
import { type AnswerSources, TrialAnswers } from './trialAnswers.ts';
import { repeatKeys, roundsIn } from './trialRounds.ts';

export interface TrialOptions extends AnswerSources {
  readonly inputs: JsonObject;
  /** What earlier runs have left of the state. Absent: nothing. */
  readonly state?: JsonObject;
}

export interface Trial {
  readonly status: string;
  readonly steps: readonly TrialStep[];
  /** How many other steps there were. */
  readonly stepsOmitted?: number;
  readonly outputs?: Json;
  /** What the run leaves, where its workflow declares state. */
  readonly state?: Json;
  readonly error?: { readonly code: string; readonly message: string; readonly step?: string | undefined };
  /** Targets, and paths of questions and signals, whose answers were generated. */
  readonly invented: readonly string[];
  /** Names in `answers` that nothing in the run asked for. */
  readonly unused?: readonly string[];
}

interface TrialStep {
  readonly path: string;
  readonly target?: string;
  readonly status: string;
  readonly with?: Json;
  readonly output?: Json;
  readonly error?: string;
}

/** What a model reads of a trial at once. */
const shown = { steps: 200, rounds: 3, valueBytes: 2_048, totalBytes: 24 * 1_024 };
const roundsMax = 200;

/** Requires a checked plan. Inputs that do not fit become the error of the trial. Large values are cut. */
export function simulateRun(plan: Plan, { inputs: given, state, ...sources }: TrialOptions): Trial {
  const { inputs, errors } = validateInputs(plan, given);
  if (inputs === undefined) {
    const message = errors.map((one) => `inputs${one.pointer}: ${one.message}`).join(' ');
    return { status: 'refused', steps: [], error: { code: 'invalid-inputs', message }, invented: [] };
  }
  const answers = new TrialAnswers(plan, sources);
  const calls = new Map<string, SimulatedCall>();
  const { run, journal } = play(plan, {
    inputs,
    ...(state && { state }),
    limits: { items: limits.key.items },
    answer: (made) => {
      calls.set(made.path, made);
      return answers.ofCall(made);
    },
    child: (workflow, _, path) => answers.ofChild(workflow, path),
    outside: (now, round) => (round > roundsMax ? [] : answersTo(now, journalPaths(now), answers)),
  });
  const display = new ValueDisplay(shown);
  const outputs = 'outputs' in run && run.outputs !== undefined ? { outputs: display.value(run.outputs) } : {};
  const traced = Trace.of(journal).steps;
  const kept = notableSteps(plan, traced);
  const left = stateAfter(run, journal);
  const steps = kept.map((step) => trialStep(step, calls.get(step.path), display));
  const failure = 'failure' in run ? run.failure : undefined;
  const { refusal } = answers;
  const error = refusal === undefined ? failure : { code: 'invalid-answer', message: refusal, step: undefined };
  return {
    status: refusal === undefined ? run.status : 'refused',
    steps,
    ...(kept.length === traced.length ? {} : { stepsOmitted: traced.length - kept.length }),
    ...outputs,
    ...(left !== undefined && { state: display.value({ json: left }) }),
    ...(error && { error: { code: error.code, message: error.message, step: error.step } }),
    invented: answers.invented,
    ...(answers.unused.length === 0 ? {} : { unused: answers.unused }),
  };
}

const isGood = ({ status }: TracedStep): boolean => status === 'succeeded' || status === 'skipped';

/** Of many rounds the first and the last; of many steps those that did not succeed, and the first of the others. */
function notableSteps(plan: Plan, all: readonly TracedStep[]): readonly TracedStep[] {
  const steps = withoutMiddleRounds(plan, all);
  if (steps.length <= shown.steps) return steps;
  const [good, notable] = [true, false].map((wanted) => steps.filter((one) => isGood(one) === wanted));
  const kept = new Set([...(notable ?? []), ...(good ?? [])].slice(0, shown.steps));
  return steps.filter((one) => kept.has(one));
}

/** Keeps what did not succeed. */
function withoutMiddleRounds(plan: Plan, steps: readonly TracedStep[]): readonly TracedStep[] {
  const repeats = repeatKeys(plan);
  /** By the path of the `repeat`. */
  const last = new Map<string, number>();
  const rounds = steps.map(({ path }) => {
    const found = roundsIn(path, repeats);
    for (const [of, round] of found) last.set(of, Math.max(last.get(of) ?? 0, round));
    return found;
  });
  const isShown = ([of, round]: readonly [string, number]): boolean => round < shown.rounds || round === last.get(of);
  return steps.filter((step, at) => !isGood(step) || (rounds[at] ?? []).every(isShown));
}

function trialStep(
  { path, target, status, verb, value, failure }: TracedStep,
  call: SimulatedCall | undefined,
  display: ValueDisplay,
): TrialStep {
  return {
    path,
    ...(target === undefined ? {} : { target }),
    status,
    ...(call === undefined ? {} : { with: display.value({ json: call.arguments }) }),
    ...(value !== undefined && 'json' in value ? { output: display.output(verb, value) } : {}),
    ...(failure === undefined ? {} : { error: `${failure.code}: ${failure.message}` }),
  };
}

type PlayedRun = Parameters<NonNullable<NonNullable<Parameters<typeof play>[1]>['outside']>>[0];

const journalPaths = (run: PlayedRun): readonly string[] => {
  const paths: string[] = [];
  for (const [, frame] of run.frames) for (const [key] of frame.steps) paths.push(key);
  return paths;
};

/** Answers questions, and delivers signals at once. */
function answersTo(
  run: PlayedRun,
  paths: readonly string[],
  answers: TrialAnswers,
): ReturnType<NonNullable<NonNullable<Parameters<typeof play>[1]>['outside']>> {
  for (const path of paths) {
    const state = stateAt(run, path);
    if (state?.status !== 'waiting' || state.arrived !== undefined) continue;
    if (state.awaiting.for === 'answer') {
      const answer = answers.ofQuestion(path, state.awaiting.question.form);
      if (answer === undefined) return [];
      if (answer !== 'never')
        return [{ type: 'question.answered', at: run.at, path, answer: answer.value, by: 'trial' }];
    }
    if (state.awaiting.for === 'signal') {
      const { name } = state.awaiting;
      const signal = answers.ofSignal(path);
      if (signal === undefined) return [];
      if (signal !== 'never')
        return [{ type: 'signal.received', at: run.at, name, payload: signal.value, by: 'trial' }];
    }
  }
  return [];
}
