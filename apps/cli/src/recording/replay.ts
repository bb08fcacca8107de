/** Replays a recorded run: the production engine decides, the recording gives the answers. */
import {
  type CallResult,
  type Failure,
  type SimulatedCall,
  type SimulatedRun,
  type Run,
  type RunEvent,
  type Trigger,
  play,
  stateAt,
} from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import {
  type DecidedEffect,
  type Plan,
  type RecordedCall,
  type Recording,
  type Workflow,
  compile,
} from '@baton/language';
import { type Json, defined } from '@baton/primitives';

import { type RecordingDifference, differencesIn } from './differences.ts';
import { differencesAtEnd, endOf, whole } from './end.ts';

export interface Replay {
  /** Empty if the run behaved as recorded. */
  readonly differences: readonly RecordingDifference[];
  /** The recording of the new behaviour; absent if the old recording lacks an answer. */
  readonly updated?: Recording;
}

export function replay(recording: Recording, workflow: Workflow): Replay {
  const plan = compile(workflow, { effects: effectsIn(recording) });
  const { inputs, errors = [] } = validateInputs(plan, recording.inputs);
  if (inputs === undefined) {
    return { differences: errors.map(({ pointer, message }) => ({ message: `inputs${pointer}: ${message}` })) };
  }
  return new RecordingReplay(recording, plan).replay({ ...recording, inputs });
}

/** The tool definitions of the time of the recording: a replay asks no server. */
function effectsIn({ calls = [] }: Recording): (server: string, tool: string) => DecidedEffect | undefined {
  const effects = new Map(
    calls.flatMap(({ target, effect, keyed }): [string | undefined, DecidedEffect][] => {
      const idempotency = keyed === true ? { idempotency: 'meta' as const } : {};
      return effect === undefined ? [] : [[target, { effect, from: 'server', ...idempotency }]];
    }),
  );
  return (server, tool) => effects.get(`${server}/${tool}`);
}

const keyOf = ({ path, attempt = 1 }: Pick<RecordedCall, 'path' | 'attempt'>): string => `${path}#${attempt}`;

class RecordingReplay {
  readonly #recording: Recording;
  readonly #plan: Plan;
  readonly #calls: ReadonlyMap<string, RecordedCall>;
  readonly #made = new Map<string, RecordedCall>();
  readonly #differences: RecordingDifference[] = [];
  #isComplete = true;
  #answers: NonNullable<Recording['answers']>;
  #signals: NonNullable<Recording['signals']>;

  constructor(recording: Recording, plan: Plan) {
    this.#recording = recording;
    this.#plan = plan;
    this.#calls = new Map(recording.calls?.map((call) => [keyOf(call), call]));
    this.#answers = [...(recording.answers ?? [])];
    this.#signals = [...(recording.signals ?? [])];
  }

  replay({ inputs = {}, state, run: about = {} }: Recording): Replay {
    const { id, version, startedAt, trigger } = about;
    const played = play(this.#plan, {
      inputs,
      ...defined({ id, version, state }),
      refusals: this.#refusals(),
      ...(startedAt === undefined ? {} : { startMs: Date.parse(startedAt) }),
      ...(trigger === undefined ? {} : { trigger: { kind: trigger as Trigger['kind'] } }),
      answer: (made) => this.#answer(made),
      child: (workflow, given, path) => this.#child(workflow, given, path),
      outside: (run) => this.#outside(run),
    });
    this.#takeRefusals(played);
    this.#tellUnused();
    const differences = this.#differences;
    // If an answer is missing, the end is not compared.
    if (!this.#isComplete) return { differences };
    return {
      differences: [...differences, ...differencesAtEnd(this.#recording, played)],
      updated: this.#updated(played),
    };
  }

  #answer(made: SimulatedCall): CallResult {
    const { path, attempt, verb, target: named, arguments: given } = made;
    const recorded = this.#calls.get(keyOf(made));
    const target = verb === 'sample' ? undefined : named;
    if (recorded === undefined) return this.#unknown(path, `${target ?? verb} is called`, attempt);
    this.#take(recorded, { verb, ...defined({ target }), with: given });
    const { result, error, usage, tookMs = 1 } = recorded;
    if (result !== undefined) return { takesMs: tookMs, result, ...defined({ usage }) };
    if (error === undefined) return { takesMs: Number.POSITIVE_INFINITY, result: {} };
    const { delivery = 'answered', ...failure } = error;
    return { takesMs: tookMs, failure, delivery };
  }

  #child(workflow: string, given: Json, path: string) {
    const recorded = this.#recording.calls?.find((call) => call.path === path && !this.#made.has(keyOf(call)));
    if (recorded === undefined) {
      const { failure } = this.#unknown(path, `the workflow ${workflow} is run`, 1);
      return { status: 'failed' as const, failure };
    }
    this.#take(recorded, { verb: 'workflow', target: workflow, with: given });
    const { error, outputs } = recorded;
    if (error !== undefined) return { status: 'failed' as const, failure: error };
    return { status: 'succeeded' as const, ...(outputs === undefined ? {} : { outputs: { json: outputs } }) };
  }

  /** Another run had written the state. */
  #refusals(): ReadonlyMap<string, Failure> {
    const refused = [...this.#calls.values()].flatMap(({ path, verb, error }) =>
      verb === 'state' && error !== undefined
        ? [[path, { code: error.code, message: error.message, step: path }] as const]
        : [],
    );
    return new Map(refused as readonly (readonly [string, Failure])[]);
  }

  #takeRefusals({ journal }: SimulatedRun): void {
    const failed = new Set(journal.flatMap((event) => (event.type === 'step.failed' ? [event.path] : [])));
    for (const call of this.#calls.values())
      if (call.verb === 'state' && failed.has(call.path)) this.#made.set(keyOf(call), call);
  }

  #unknown(path: string, what: string, attempt: number): Extract<CallResult, { failure: unknown }> {
    this.#isComplete = false;
    const which = attempt > 1 ? ` (attempt ${attempt})` : '';
    const message = `${what}${which}, and no answer is recorded for it`;
    this.#differences.push({ path, message });
    return { failure: { code: 'not-recorded', message }, delivery: 'answered' };
  }

  /** Fields that the recording omits are not compared. */
  #take(recorded: RecordedCall, made: Pick<RecordedCall, 'verb' | 'target' | 'with'>): void {
    this.#made.set(keyOf(recorded), { ...recorded, ...made });
    const { path, verb = made.verb, target = made.target } = recorded;
    if (verb !== made.verb || target !== made.target) {
      const before = target ?? verb;
      this.#differences.push({ path, message: `${made.target ?? made.verb} is called instead of ${before}` });
      return;
    }
    if (recorded.with === undefined) return;
    const message = `${target ?? verb} is called with different arguments`;
    for (const one of differencesIn(recorded.with, made.with ?? null, 'with'))
      this.#differences.push({ path, message, ...one });
  }

  /** A step that waits gets its recorded answer at once. */
  #outside(run: Run): readonly RunEvent[] {
    const base = { at: run.at };
    const answer = this.#answers.find(({ path }) => isAsked(run, path));
    if (answer !== undefined) {
      this.#answers = this.#answers.filter((one) => one !== answer);
      const { path, answer: said, by = 'recorded' } = answer;
      return [{ ...base, type: 'question.answered', path, answer: said, by }];
    }
    const sample = this.#openSample(run);
    if (sample !== undefined) return [sample];
    const [signal, ...later] = this.#signals;
    if (signal === undefined) return [];
    this.#signals = later;
    const { name, payload = null, by = 'recorded' } = signal;
    return [{ ...base, type: 'signal.received', name, payload, by }];
  }

  /** The model of the calling MCP client answered it. */
  #openSample(run: Run): RunEvent | undefined {
    for (const recorded of this.#recording.calls ?? []) {
      const { path, result, error: failure, usage } = recorded;
      const state = stateAt(run, path);
      const isOpen = state?.status === 'waiting' && state.arrived === undefined && state.awaiting.for === 'sample';
      if (!isOpen || this.#made.has(keyOf(recorded))) continue;
      this.#take(recorded, { verb: 'sample', with: whole(state.awaiting.request) });
      const said = { ...(result && { value: { json: result } }), ...(failure && { failure }), ...(usage && { usage }) };
      return { type: 'sample.answered', at: run.at, path, by: 'recorded', ...said };
    }
    return undefined;
  }

  #tellUnused(): void {
    for (const call of this.#calls.values()) {
      // A step that was stopped before its end may also have been stopped before its start.
      const isStopped = call.result === undefined && call.outputs === undefined && call.error === undefined;
      if (this.#made.has(keyOf(call)) || (isStopped && call.verb !== 'workflow')) continue;
      const what = call.target ?? call.verb ?? 'a call';
      this.#differences.push({ path: call.path, message: `${what} was recorded, and is no longer called` });
    }
    for (const { path } of this.#answers)
      this.#differences.push({ path, message: 'an answer was recorded, but the run asks no question' });
  }

  #updated(played: SimulatedRun): Recording {
    const { status: _, outputs: _before, error: _error, stateAfter: _after, calls = [], ...kept } = this.#recording;
    return { ...kept, calls: calls.flatMap((call) => this.#made.get(keyOf(call)) ?? []), ...endOf(played) };
  }
}

const isAsked = (run: Run, path: string): boolean => {
  const state = stateAt(run, path);
  return state?.status === 'waiting' && state.awaiting.for === 'answer' && state.arrived === undefined;
};
