/** Simulates a run without side effects: the engine decides; answers are given, recorded, or generated from schemas. */
import type { SimulatedCall } from '@baton/engine';
import { play, stateAt, Trace, valueView } from '@baton/engine';
import type { Json, JsonObject, Plan } from '@baton/language';
import { validateInputs } from '@baton/language';
import { isObject } from '@baton/primitives';

import { inventValue } from './inventValue.ts';

export interface TrialOptions {
  readonly inputs: JsonObject;
  /** Answers by target (`server/tool`, `sample`, …), structured or as text. */
  readonly answers: Readonly<Record<string, Json>>;
  /** Output schemas of tools, by `server/tool`. */
  readonly outputSchemas: ReadonlyMap<string, JsonObject>;
}

export interface Trial {
  readonly status: string;
  readonly steps: readonly TrialStep[];
  readonly outputs?: Json;
  readonly error?: { readonly code: string; readonly message: string; readonly step?: string | undefined };
  /** Targets whose answers were generated. */
  readonly invented: readonly string[];
}

interface TrialStep {
  readonly path: string;
  readonly target?: string;
  readonly status: string;
  readonly with?: Json;
  readonly output?: Json;
  readonly error?: string;
}

const stepsMax = 200;
const roundsMax = 200;

/** Requires a checked plan. Inputs that do not fit become the error of the trial. */
export function simulateRun(plan: Plan, { inputs: given, answers, outputSchemas }: TrialOptions): Trial {
  const { inputs, errors } = validateInputs(plan, given);
  if (inputs === undefined) {
    const message = errors.map((one) => `inputs${one.pointer}: ${one.message}`).join(' ');
    return { status: 'refused', steps: [], error: { code: 'invalid-inputs', message }, invented: [] };
  }
  const invented = new Set<string>();
  const calls = new Map<string, SimulatedCall>();
  const answer = (made: SimulatedCall): { result: JsonObject } => {
    calls.set(made.path, made);
    const own = answers[made.target];
    if (own === undefined) invented.add(made.target);
    return { result: resultOf(made, own, outputSchemas) };
  };
  const { run, journal } = play(plan, {
    inputs,
    answer,
    child: () => ({ status: 'succeeded', outputs: { json: {} } }),
    outside: (now, round) => (round > roundsMax ? [] : answersTo(now, journalPaths(now))),
  });
  const steps = Trace.of(journal).steps.map(({ path, target, status, verb, value, failure }): TrialStep => {
    const call = calls.get(path);
    return {
      path,
      ...(target === undefined ? {} : { target }),
      status,
      ...(call === undefined ? {} : { with: call.arguments }),
      ...(value !== undefined && 'json' in value ? { output: valueView(verb, value.json)['output'] ?? null } : {}),
      ...(failure === undefined ? {} : { error: `${failure.code}: ${failure.message}` }),
    };
  });
  const outputs = 'outputs' in run ? run.outputs : undefined;
  const failure = 'failure' in run ? run.failure : undefined;
  return {
    status: run.status,
    steps: steps.slice(0, stepsMax),
    ...(outputs !== undefined && 'json' in outputs ? { outputs: outputs.json } : {}),
    ...(failure === undefined ? {} : { error: { code: failure.code, message: failure.message, step: failure.step } }),
    invented: [...invented],
  };
}

type PlayedRun = Parameters<NonNullable<NonNullable<Parameters<typeof play>[1]>['outside']>>[0];

const journalPaths = (run: PlayedRun): readonly string[] => {
  const paths: string[] = [];
  for (const [, frame] of run.frames) for (const [key] of frame.steps) paths.push(key);
  return paths;
};

/** Answers questions with a value that fits their form, and delivers signals at once. */
function answersTo(
  run: PlayedRun,
  paths: readonly string[],
): ReturnType<NonNullable<NonNullable<Parameters<typeof play>[1]>['outside']>> {
  for (const path of paths) {
    const state = stateAt(run, path);
    if (state?.status !== 'waiting' || state.arrived !== undefined) continue;
    if (state.awaiting.for === 'answer') {
      const answer = inventValue(state.awaiting.question.form, 'answer');
      return [{ type: 'question.answered', at: run.at, path, answer, by: 'trial' }];
    }
    if (state.awaiting.for === 'signal') {
      return [{ type: 'signal.received', at: run.at, name: state.awaiting.name, payload: {}, by: 'trial' }];
    }
  }
  return [];
}

function resultOf(
  { verb, target, arguments: given }: SimulatedCall,
  own: Json | undefined,
  outputSchemas: ReadonlyMap<string, JsonObject>,
): JsonObject {
  if (verb === 'sample') return sampleResult(own, given);
  const schema = outputSchemas.get(target);
  const value = own ?? (schema === undefined ? `what ${target} answers` : inventValue(schema));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (verb === 'prompt') return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  if (verb === 'resource') return { contents: [{ uri: target, text }] };
  const content = [{ type: 'text', text }];
  return isObject(value) ? { content, structuredContent: value } : { content };
}

function sampleResult(own: Json | undefined, request: JsonObject): JsonObject {
  const text = typeof own === 'string' ? own : JSON.stringify(own ?? 'what a model answers');
  const { output } = request;
  const value = own ?? (output === undefined ? undefined : inventValue(output));
  return {
    role: 'assistant',
    model: 'trial',
    content: { type: 'text', text },
    ...(value === undefined || typeof value === 'string' ? {} : { output: value }),
  };
}
