/**
 * Simulates a run: the engine decides, `answer` gives the end of each call, and time jumps to the next instant at which
 * something can happen. It uses the real engine and language, without worker, queue or disk. `baton test` replays
 * recorded runs with it, and the engine's tests use it.
 */
import type { Plan } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import type { Command } from '../decide/decision.ts';
import { type AttemptReport, judge } from '../decide/judge.ts';
import { type SettledRun, settle, valueIn } from '../decide/settle.ts';
import type { Delivery, Failure } from '../failure.ts';
import { targetOfCall } from '../state/calledName.ts';
import type { DefinitionPart } from '../state/definitionPart.ts';
import type { Call, EventOf, RunEvent, RunLimits, Trigger, Usage } from '../state/event.ts';
import { replay } from '../state/evolve.ts';
import { stateAt } from '../state/locate.ts';
import { inputsOfItem, partAt, planFor } from '../state/part.ts';
import type { Path } from '../state/path.ts';
import { rowOf } from '../state/row.ts';
import { type Run, type UnfinishedRun, isEnded } from '../state/run.ts';
import { stateAtStart } from '../state/runState.ts';
import type { Spending } from '../state/spending.ts';
import { itemsLeft } from '../state/spent.ts';
import { type Blobs, positionIn, resolve } from '../state/value.ts';

/** A call with its arguments loaded. */
export interface SimulatedCall {
  readonly path: Path;
  readonly attempt: number;
  readonly verb: Call['verb'];
  /** `server/tool` and the like; `sample` for a sample. */
  readonly target: string;
  readonly arguments: JsonObject;
}

type ChildEnd = EventOf<'child.finished'>;
type ChildNews = ChildEnd | EventOf<'child.started'>;

/** `takesMs`: infinite for a call that ends only when it is aborted. */
export type CallResult = { readonly takesMs?: number } & (
  | { readonly result: JsonObject; readonly usage?: Usage }
  | { readonly failure: Failure; readonly delivery: Delivery }
  /** The worker dies during the call, and another one claims the run. */
  | { readonly workerDies: true }
);

export interface PlayOptions {
  readonly inputs?: JsonObject;
  readonly answer?: (made: SimulatedCall) => CallResult;
  /** The end of the child run that the step at `path` requested. */
  readonly child?: (
    workflow: string,
    inputs: Json,
    path: Path,
  ) => Json | Pick<ChildEnd, 'status' | 'failure' | 'outputs'>;
  /** What each child run spends. */
  readonly childSpent?: Spending;
  /** Child runs end only when they are cancelled. */
  readonly childrenHang?: boolean;
  /** Events from outside before time advances, in round `n`: answers, signals, a cancel. */
  readonly outside?: (run: UnfinishedRun, round: number) => readonly RunEvent[];
  /** Each decision stops after its first events, as in a run whose decisions take long. */
  readonly decidesInSlices?: boolean;
  readonly startMs?: number;
  readonly id?: string;
  readonly version?: number;
  /** Default: the API. */
  readonly trigger?: Trigger;
  /** What earlier runs have left of the state of the workflow. Default: nothing. */
  readonly state?: JsonObject;
  /** Writes of state that fail, by the paths of their steps: another run has written the key. */
  readonly refusals?: ReadonlyMap<Path, Failure>;
  /** Default: none. */
  readonly limits?: RunLimits;
  /** The run is a part of this plan: an item of a distributed `forEach`. */
  readonly partOf?: { readonly plan: Plan; readonly part: DefinitionPart };
}

export interface SimulatedRun {
  readonly run: Run;
  readonly journal: readonly RunEvent[];
  readonly calls: readonly SimulatedCall[];
  readonly nowMs: number;
}

const defaultResult: CallResult = { result: { content: [{ type: 'text', text: '{"ok":true}' }] } };
const noBlobs = (): undefined => undefined;
const roundsMax = 100_000;

export function play(plan: Plan, options: PlayOptions = {}): SimulatedRun {
  const { startMs = 1_700_000_000_000, inputs = {}, version = 1 } = options;
  const requested: RunEvent = {
    type: 'run.requested',
    at: startMs,
    workflow: plan.workflow,
    version,
    definition: 'played',
    inputs: { json: inputs },
    trigger: options.trigger ?? { kind: 'api' },
    by: 'test',
    ...(options.partOf && { part: options.partOf.part }),
    ...(options.limits && { limits: options.limits }),
  };
  return new Simulation(plan, options, [requested]).toTheEnd();
}

/** Continues from a journal that was cut off at any event: another worker claims the run. */
export function playOn(plan: Plan, journal: readonly RunEvent[], options: PlayOptions = {}): SimulatedRun {
  return new Simulation(plan, options, journal).toTheEnd();
}

interface CallUnderWay {
  readonly key: string;
  readonly endsAt: number;
  readonly end: AttemptReport | 'workerDies';
}

class Simulation {
  readonly #plan: Plan;
  readonly #options: PlayOptions;
  readonly #journal: RunEvent[];
  readonly #calls: SimulatedCall[] = [];
  readonly #seen = new Set<string>();
  #callsInFlight: CallUnderWay[] = [];
  #run: Run;
  #nowMs: number;

  constructor(plan: Plan, options: PlayOptions, journal: readonly RunEvent[]) {
    this.#plan = plan;
    this.#options = options;
    this.#journal = [...journal];
    this.#run = replay(options.id ?? '019a0000-0000-7000-8000-000000000001', journal);
    this.#nowMs = this.#run.at;
  }

  toTheEnd(): SimulatedRun {
    let happened: readonly RunEvent[] | undefined = isEnded(this.#run) ? undefined : this.#begin();
    for (let round = 0; happened !== undefined && round < roundsMax; round++) {
      const settled = this.#settle(happened);
      happened = isEnded(this.#run) ? undefined : this.#nextEvents(settled, round);
    }
    return { run: this.#run, journal: this.#journal, calls: this.#calls, nowMs: this.#nowMs };
  }

  #nextEvents(settled: SettledRun, round: number): readonly RunEvent[] | undefined {
    const written = this.#journal.length;
    this.#perform(settled);
    if (this.#journal.length > written) return [];
    const news = isEnded(this.#run) ? [] : (this.#options.outside?.(this.#run, round) ?? []);
    return news.length > 0 ? news : this.#next(settled);
  }

  #begin(): readonly RunEvent[] {
    const stored = Object.entries(this.#options.state ?? {}).map(
      ([key, value]) => [key, { value, revision: 1 }] as const,
    );
    return [this.#claim(), ...stateAtStart(this.#plan, this.#run, new Map(stored), this.#nowMs)];
  }

  #claim(): RunEvent {
    const claim = this.#run.claim + 1;
    return { type: 'run.claimed', at: this.#nowMs, worker: `worker-${claim}`, claim };
  }

  #settle(happened: readonly RunEvent[]): SettledRun {
    let settled = this.#settleOnce(happened);
    while (settled.isUnfinished) settled = this.#settleOnce([]);
    return settled;
  }

  #settleOnce(happened: readonly RunEvent[]): SettledRun {
    const { decidesInSlices } = this.#options;
    const shouldContinue = (): boolean => decidesInSlices !== true;
    const blobs: Blobs = (key) => {
      const event = this.#journal[(positionIn(key) ?? 0) - 1];
      return event && valueIn(event);
    };
    const { refusals } = this.#options;
    const offload = (event: RunEvent): RunEvent => event;
    const inputs = { nowMs: this.#nowMs, blobs, offload, shouldContinue, ...(refusals && { refusals }) };
    const settled = settle(this.#plan, this.#run, happened, inputs);
    this.#run = settled.run;
    // Not as arguments of one `push`: a decision may give more events than the stack holds.
    for (const event of settled.events) this.#journal.push(event);
    return settled;
  }

  #perform({ perform, abort }: SettledRun): void {
    for (const command of perform) {
      const key = `${command.kind} ${command.path}#${command.attempt}#${this.#run.claim}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      this.#start(command, key);
    }
    for (const [path, reason] of abort) {
      if (!this.#callsInFlight.some((flight) => isCallAt(flight, path))) this.#abortUnsent(path, reason);
      this.#callsInFlight = this.#callsInFlight.map((flight) => abortedCall(flight, path, reason, this.#nowMs));
    }
  }

  /** Ends a call that began in an earlier part of a decision, and was never made. */
  #abortUnsent(path: Path, reason: string): void {
    const attempt = stateAt(this.#run, path)?.attempt ?? 0;
    const failure: Failure = { code: 'cancelled', message: reason };
    const at = this.#nowMs;
    const end = { path, attempt, at, outcome: 'failed', failure, delivery: 'unsent', aborted: true } as const;
    this.#callsInFlight.push({ key: path, endsAt: at, end });
  }

  #start(command: Command, key: string): void {
    const { path, attempt } = command;
    // Each call of a simulation has its turn at once.
    if (command.kind === 'turn') return;
    if (command.kind === 'cancelChild') {
      this.#settle([{ type: 'child.finished', at: this.#nowMs, path, runId: 'child', status: 'cancelled' }]);
      return;
    }
    if (command.kind === 'child') {
      if (this.#options.childrenHang !== true) this.#settle([this.#childEnd(command)]);
      return;
    }
    const made = simulatedCallOf(command);
    this.#calls.push(made);
    const ending = this.#options.answer?.(made) ?? defaultResult;
    const endsAt = this.#nowMs + (ending.takesMs ?? 1);
    const end = 'workerDies' in ending ? 'workerDies' : reportOf(ending, { path, attempt, at: endsAt });
    this.#callsInFlight.push({ key, endsAt, end });
  }

  #childEnd({ path, awaiting }: Extract<Command, { kind: 'child' }>): ChildNews {
    if (awaiting.item === true) return this.#itemEnd(path);
    const { child, childSpent: spent } = this.#options;
    const result = child?.(awaiting.workflow, resolve(awaiting.inputs, noBlobs), path) ?? null;
    const base = { type: 'child.finished', at: this.#nowMs, path, runId: 'child', ...(spent && { spent }) } as const;
    const isEnd = typeof result === 'object' && result !== null && 'status' in result;
    // A detached child has begun, and may still fail.
    if (awaiting.detached === true) return { type: 'child.started', at: this.#nowMs, path, runId: 'child' };
    return isEnd ? { ...base, ...(result as ChildEnd) } : { ...base, status: 'succeeded', outputs: { json: result } };
  }

  /** Simulates the run of an item at once. */
  #itemEnd(path: Path): ChildEnd {
    const plan = this.#options.partOf?.plan ?? this.#plan;
    const part = partAt(this.#plan, this.#run, path, noBlobs);
    const inputs = inputsOfItem(this.#plan, this.#run, path, noBlobs);
    const withItemPath = (made: SimulatedCall): SimulatedCall => ({ ...made, path: `${path}>${made.path}` });
    const { answer } = this.#options;
    const limits = this.#run.limits && { limits: { items: itemsLeft(this.#run) } };
    const options = { ...this.#options, inputs, partOf: { plan, part }, ...limits };
    const { run, calls } = play(planFor(plan, { part }), {
      ...options,
      ...(answer && { answer: (made: SimulatedCall) => answer(withItemPath(made)) }),
    });
    this.#calls.push(...calls.map(withItemPath));
    const { outputs, failure } = rowOf(run);
    const { spent, itemCount } = run;
    const status = run.status === 'succeeded' ? 'succeeded' : 'failed';
    const counted = { spent, ...(itemCount > 0 && { itemCount }) };
    const end = {
      runId: 'child',
      status,
      ...counted,
      ...(outputs && { outputs }),
      ...(failure && { failure }),
    } as const;
    return { type: 'child.finished', at: this.#nowMs, path, ...end };
  }

  /** Advances time to the next events and returns them; undefined: no event will ever follow. */
  #next({ wakeAt }: SettledRun): readonly RunEvent[] | undefined {
    const first = this.#callsInFlight
      .filter(({ endsAt }) => endsAt < Infinity)
      .toSorted((a, b) => a.endsAt - b.endsAt)[0];
    if (first !== undefined && (wakeAt === undefined || first.endsAt <= wakeAt)) {
      this.#callsInFlight = this.#callsInFlight.filter((flight) => flight !== first);
      this.#nowMs = Math.max(this.#nowMs, first.endsAt);
      if (first.end !== 'workerDies') return judge(this.#plan, this.#run, first.end);
      this.#callsInFlight = [];
      return [this.#claim()];
    }
    if (wakeAt === undefined) return undefined;
    this.#nowMs = wakeAt;
    return [];
  }
}

function reportOf(
  ending: Exclude<CallResult, { workerDies: true }>,
  base: Pick<AttemptReport, 'path' | 'attempt' | 'at'>,
): AttemptReport {
  if ('failure' in ending) return { ...base, outcome: 'failed', failure: ending.failure, delivery: ending.delivery };
  const { result, usage } = ending;
  return { ...base, outcome: 'succeeded', value: { json: result }, ...(usage && { usage }) };
}

const isCallAt = ({ end }: CallUnderWay, path: Path): boolean => end === 'workerDies' || end.path === path;

function abortedCall(flight: CallUnderWay, path: Path, reason: string, nowMs: number): CallUnderWay {
  if (flight.end === 'workerDies' || flight.end.path !== path || ('aborted' in flight.end && flight.end.aborted))
    return flight;
  const { attempt } = flight.end;
  const failure: Failure = { code: 'cancelled', message: reason };
  const end: AttemptReport = {
    path,
    attempt,
    at: nowMs,
    outcome: 'failed',
    failure,
    delivery: 'unknown',
    aborted: true,
  };
  return { ...flight, endsAt: nowMs, end };
}

function simulatedCallOf({ path, attempt, call }: Extract<Command, { kind: 'call' }>): SimulatedCall {
  const base = { path, attempt, verb: call.verb };
  if (call.verb === 'sample')
    return { ...base, target: 'sample', arguments: resolve(call.request, noBlobs) as JsonObject };
  return {
    ...base,
    target: targetOfCall(call),
    arguments: resolve(call.arguments, noBlobs) as JsonObject,
  };
}
