/** Replays the session with the learned workflow: the engine decides, and the recorded answers are returned. */
import { type PlayOptions, type SimulatedCall, play, stateAt } from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import { type DecidedEffect, type Plan, type Workflow, compile } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import type { ReplayResult, SampleAnswers } from './draft.ts';
import { type SeenCall, stable } from './seenCall.ts';

const keyOf = (verb: string, target: string, given: JsonObject): string => `${verb} ${target} ${stable(given)}`;

const playedTarget = ({ server, name }: SeenCall): string => `${server}/${name}`;

/** `inputs`: the values of the session, and those that replace them. */
export function prove(
  workflow: Workflow,
  calls: readonly SeenCall[],
  samples: SampleAnswers,
  inputs: JsonObject = {},
): ReplayResult {
  const plan = compile(workflow, { effects: effectsIn(calls) });
  const checked = validateInputs(plan, inputs);
  if (checked.inputs === undefined) {
    const differences = checked.errors.map(({ pointer, message }) => ({ path: `inputs${pointer}`, message }));
    return { same: false, differences };
  }
  return new Proof(calls, samples).run(plan, checked.inputs);
}

export interface ChangedCall {
  readonly path: string;
  /** Path of the call in the session. */
  readonly of: string;
  /** The arguments in the session. */
  readonly seen: JsonObject;
  readonly made: JsonObject;
}

export interface ReplayChanges {
  /** The values of the inputs in the session. */
  readonly values?: JsonObject;
  readonly inputs?: JsonObject;
  /** Replaces the recorded answer of a call. */
  readonly answer?: (seen: SeenCall) => JsonObject | undefined;
}

/**
 * Plays the workflow with other inputs or answers, and pairs its calls with those of the session. Omits calls without a
 * counterpart in the session.
 */
export function callsMade(
  workflow: Workflow,
  calls: readonly SeenCall[],
  samples: SampleAnswers,
  { inputs = {}, values = {}, answer = () => undefined }: ReplayChanges,
): readonly ChangedCall[] {
  const plan = compile(workflow, { effects: effectsIn(calls) });
  const seen = new Map<string, { readonly call: SeenCall | undefined; readonly result: JsonObject }>();
  const proof = new Proof(calls, samples);
  proof.run(plan, validateInputs(plan, values).inputs ?? {}, (made, result, call) => {
    seen.set(made.path, { call, result });
  });
  const changed: ChangedCall[] = [];
  play(plan, {
    outside: agreed,
    inputs: validateInputs(plan, { ...values, ...inputs }).inputs ?? {},
    answer: ({ path, arguments: made }) => {
      const before = seen.get(path);
      if (before === undefined) return { failure: { code: 'not-recorded', message: path }, delivery: 'answered' };
      const { call, result } = before;
      if (call === undefined) return { result };
      changed.push({ path, of: call.path, seen: call.arguments, made });
      return { result: answer(call) ?? result };
    },
  });
  return changed;
}

function effectsIn(calls: readonly SeenCall[]): (server: string, tool: string) => DecidedEffect | undefined {
  const effects = new Map(calls.map((call) => [playedTarget(call), call.effect]));
  return (server, tool) => {
    const effect = effects.get(`${server}/${tool}`);
    return effect && { effect, from: 'server' };
  };
}

/** A person agreed to each call that was made. */
const agreed: NonNullable<PlayOptions['outside']> = (run) => {
  for (const [, frame] of run.frames)
    for (const [path] of frame.steps) {
      const state = stateAt(run, path);
      const isOpen = state?.status === 'waiting' && state.arrived === undefined && state.awaiting.for === 'answer';
      if (isOpen) return [{ type: 'question.answered', at: run.at, path, answer: { approve: true }, by: 'session' }];
    }
  return [];
};

type ProofFailure = {
  readonly failure: { readonly code: string; readonly message: string };
  readonly delivery: 'answered';
};
/** `call`: the call of the session; undefined for a model's answer. */
type ProofAnswer = { readonly result: JsonObject; readonly call?: SeenCall } | ProofFailure;

class Proof {
  /** Calls of the session that were not made yet, by target and arguments. */
  readonly #left = new Map<string, SeenCall[]>();
  readonly #samples: SampleAnswers;
  /** How often each call was asked for. */
  readonly #refused = new Map<SeenCall, number>();
  readonly #differences: { path: string; message: string }[] = [];

  constructor(calls: readonly SeenCall[], samples: SampleAnswers) {
    for (const call of calls) {
      const key = keyOf(call.verb, playedTarget(call), call.arguments);
      this.#left.set(key, [...(this.#left.get(key) ?? []), call]);
    }
    this.#samples = samples;
  }

  /** `onAnswer`: called for each call that the session made. */
  run(
    plan: Plan,
    inputs: JsonObject,
    onAnswer?: (made: SimulatedCall, result: JsonObject, call: SeenCall | undefined) => void,
  ): ReplayResult {
    const answer = (made: SimulatedCall): ProofAnswer => {
      const answered = this.#answer(made);
      if ('result' in answered) onAnswer?.(made, answered.result, answered.call);
      return answered;
    };
    const { run } = play(plan, { inputs, answer, outside: agreed });
    const failure = 'failure' in run ? run.failure : undefined;
    for (const { path, server, name } of [...this.#left.values()].flat()) {
      this.#differences.push({
        path,
        message: `${server}/${name} was called in the session, and the workflow does not call it`,
      });
    }
    if (run.status !== 'succeeded' && this.#differences.length === 0) {
      this.#differences.push({
        path: failure?.step ?? '',
        message: failure?.message ?? `the run is ${run.status}`,
      });
    }
    return { same: this.#differences.length === 0, differences: this.#differences };
  }

  #answer(made: SimulatedCall): ProofAnswer {
    if (made.verb === 'sample') {
      const said = this.#samples[made.path];
      return said === undefined
        ? this.#unknown(made, 'a model gets a prompt that it did not get in the session')
        : { result: said };
    }
    const { verb, target, arguments: given } = made;
    const [first] = this.#left.get(keyOf(verb, target, given)) ?? [];
    const refusal = first === undefined ? undefined : this.#refusalOf(first);
    if (refusal !== undefined) return { failure: refusal, delivery: 'answered' };
    const call = this.#left.get(keyOf(verb, target, given))?.shift();
    if (call?.result !== undefined) return { result: call.result, call };
    if (call?.failure !== undefined) return { failure: call.failure, delivery: 'answered' };
    const near = [...this.#left.values()].flat().find((one) => one.verb === verb && playedTarget(one) === target);
    const seen = near === undefined ? '' : `; the session had ${stable(near.arguments).slice(0, 300)} (${near.path})`;
    return this.#unknown(made, `${target} is called with ${stable(given).slice(0, 300)}${seen}`);
  }

  /** The next of the failures that a call had before it succeeded. */
  #refusalOf(call: SeenCall): ProofFailure['failure'] | undefined {
    const { refusals = [] } = call;
    const before = this.#refused.get(call) ?? 0;
    this.#refused.set(call, before + 1);
    return refusals[before];
  }

  #unknown({ path }: SimulatedCall, message: string): ProofFailure {
    this.#differences.push({ path, message });
    return { failure: { code: 'not-recorded', message }, delivery: 'answered' };
  }
}
