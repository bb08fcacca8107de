/** Makes a recording of a finished run from its journal: inputs, answers of calls, signals and answers of people. */
import type { Client, Run as RunAnswer } from '@baton/api/client';
import {
  type EventOf,
  type Run,
  type RunEvent,
  type Value,
  begin,
  BlobsNeeded,
  evolve,
  resolve,
  rowOf,
  stateAt,
  targetOfCall,
} from '@baton/engine';
import type { RecordedCall, Recording } from '@baton/language';
import { type Json, type JsonObject, defined } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { endOf } from './end.ts';

/** `workflow`: its file, relative to the recording. Rejects with `CommandError` and as the client does. */
export async function recordRun(client: Client, id: string, workflow: string): Promise<Recording> {
  const shown = await client.runs.get(id);
  checkRecordable(shown);
  const { run, writes, calls, answers, signals } = await new Journal(client).read(id, '');
  const { version, trigger } = run;
  const { startedAt, outputs } = rowOf(run);
  return {
    workflow,
    run: {
      id,
      ...defined({ version }),
      ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
      ...(trigger.kind === 'api' ? {} : { trigger: trigger.kind }),
    },
    inputs: (shown.inputs ?? {}) as JsonObject,
    ...defined({ state: run.state?.values }),
    calls: [...calls],
    ...(answers.length === 0 ? {} : { answers: [...answers] }),
    ...(signals.length === 0 ? {} : { signals: signals.map(({ signal }) => signal) }),
    ...endOf({ run, journal: writes }, outputs && { json: shown.outputs ?? null }),
  };
}

/** Throws `CommandError`. */
function checkRecordable({ id, status, trigger }: RunAnswer): void {
  const refuse = (why: string, hint: string): never => {
    throw new CommandError(exitCodes.conflict, why, { hint });
  };
  if (trigger.kind === 'undo')
    refuse('An undo cannot be recorded: its calls are no steps of the workflow.', 'record the run that it undoes');
  if (status === 'cancelled') refuse('A cancelled run cannot be recorded.', 'record a run that succeeded or failed');
  if (status !== 'succeeded' && status !== 'failed')
    refuse('The run has not ended yet.', `wait for it: baton runs watch ${id}`);
}

/** A replay makes the writes that the run has kept. */
function asMadeHere({ kept: _kept, ...event }: EventOf<'step.succeeded'>): RunEvent {
  return event;
}

type RecordedAnswer = NonNullable<Recording['answers']>[number];

interface ReadJournal {
  readonly run: Run;
  /** The events of the steps that wrote state. */
  readonly writes: readonly RunEvent[];
  readonly calls: readonly RecordedCall[];
  readonly answers: readonly RecordedAnswer[];
  readonly signals: readonly ReceivedSignal[];
}

interface ReceivedSignal {
  /** Its journal position. */
  readonly position: number;
  readonly signal: NonNullable<Recording['signals']>[number];
  /** The step that waited for it. */
  taker?: string;
}

type OpenedRun = Omit<RecordedCall, 'path' | 'attempt'> & { readonly at: number };

class Journal {
  readonly #client: Client;
  readonly #blobs = new Map<string, Json>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** `prefix`: the parent step, if the run is an item of another run. A retried run has the calls that it kept, too. */
  async read(id: string, prefix: string): Promise<ReadJournal> {
    let run: Run | undefined;
    const open = new Map<string, OpenedRun>();
    const calls: RecordedCall[] = [];
    const writes: RunEvent[] = [];
    const answers: RecordedAnswer[] = [];
    const signals: ReceivedSignal[] = [];
    const kept = new Set<string>();
    for await (const { event, seq } of this.#client.runs.follow(id)) {
      if (event.type === 'question.answered' && run !== undefined && isStepsOwn(run, event.path)) {
        const { path, answer, by } = event;
        answers.push({ path, answer, by });
      }
      if (event.type === 'step.succeeded' && event.verb === 'state') writes.push(asMadeHere(event));
      if (event.type === 'step.failed' && event.failure.code === 'state-changed') {
        const { path, failure } = event;
        calls.push({ path: `${prefix}${path}`, verb: 'state', error: failureOf({ failure }, 'answered') });
      }
      if (event.type === 'signal.received')
        signals.push({ position: seq, signal: { name: event.name, payload: event.payload, by: event.by } });
      if (event.type === 'step.succeeded') noteTaker(signals, event);
      if ('kept' in event && event.kept !== undefined) kept.add(event.path);
      if (event.type === 'child.finished') calls.push(...(await this.#childEnded(id, event, open, prefix)));
      const key = 'path' in event && 'attempt' in event ? `${event.path}#${event.attempt}` : '';
      const begun = await this.#begun(id, event);
      if (begun !== undefined) open.set(key, begun);
      const opened = open.get(key);
      const end = opened && (await this.#ended(id, event, opened));
      if (end !== undefined && 'path' in event && 'attempt' in event) {
        open.delete(key);
        const { path, attempt } = event;
        calls.push({ path: `${prefix}${path}`, ...(attempt === 1 ? {} : { attempt }), ...end });
      }
      run = run === undefined ? begin(id, event) : evolve(run, event);
    }
    if (run === undefined) throw new Error(`the run ${id} has no events`);
    const before = await this.#before(run, kept, prefix);
    return {
      run,
      writes,
      calls: [...before.calls, ...calls],
      answers: [...before.answers, ...answers],
      signals: [...before.signals, ...signals],
    };
  }

  /** What the steps with these paths did in the run that this one continues. */
  async #before(
    { rerunOf }: Run,
    kept: ReadonlySet<string>,
    prefix: string,
  ): Promise<Pick<ReadJournal, 'calls' | 'answers' | 'signals'>> {
    if (rerunOf === undefined || kept.size === 0) return { calls: [], answers: [], signals: [] };
    const { calls, answers, signals } = await this.read(rerunOf, prefix);
    return {
      calls: calls.filter(({ path }) => path.startsWith(prefix) && kept.has(path.slice(prefix.length))),
      answers: answers.filter(({ path }) => kept.has(path)),
      signals: signals.filter(({ taker }) => taker !== undefined && kept.has(taker)),
    };
  }

  /** A call, or an answer or a signal from outside the run. */
  async #begun(id: string, event: RunEvent): Promise<OpenedRun | undefined> {
    if (event.type === 'step.started' && event.call !== undefined) {
      const { call, at } = event;
      const given = call.verb === 'sample' ? call.request : call.arguments;
      const keyed = call.verb === 'tool' && call.isKeyed === true ? { keyed: true } : {};
      const effect = call.verb === 'tool' ? { effect: call.effect, ...keyed } : {};
      return {
        at,
        verb: call.verb,
        ...defined({ target: targetOfCall(call) }),
        ...effect,
        with: await this.#whole(id, given),
      };
    }
    if (event.type !== 'step.waiting') return undefined;
    const { awaiting, at } = event;
    if (awaiting.for === 'sample') return { at, verb: 'sample', with: await this.#whole(id, awaiting.request) };
    if (awaiting.for !== 'child' || awaiting.item === true) return undefined;
    return { at, verb: 'workflow', target: awaiting.workflow, with: await this.#whole(id, awaiting.inputs) };
  }

  async #ended(
    id: string,
    event: RunEvent,
    { at, ...opened }: OpenedRun,
  ): Promise<Omit<RecordedCall, 'path'> | undefined> {
    const tookMs = Math.max(0, event.at - at);
    switch (event.type) {
      case 'step.succeeded': {
        const { value, usage } = event;
        const result = (await this.#whole(id, value)) as JsonObject;
        return { ...opened, tookMs, result, ...defined({ usage }) };
      }
      case 'step.retrying':
        return { ...opened, tookMs, error: failureOf(event, event.delivery) };
      case 'step.failed':
        return { ...opened, tookMs, error: failureOf(event, 'answered') };
      case 'step.unknown':
        return { ...opened, tookMs, error: failureOf(event, 'unknown') };
      case 'step.cancelled':
        return opened;
      default:
        return undefined;
    }
  }

  /** The outcome of a child run; for an item of this run, its steps. */
  async #childEnded(
    id: string,
    event: EventOf<'child.finished'>,
    open: Map<string, OpenedRun>,
    prefix: string,
  ): Promise<readonly RecordedCall[]> {
    const { path, runId, status, outputs, failure } = event;
    const [key, opened] = [...open].findLast(([one]) => one.startsWith(`${path}#`)) ?? [];
    if (key === undefined || opened === undefined) return (await this.read(runId, `${prefix}${path}>`)).calls;
    open.delete(key);
    const { at, ...call } = opened;
    const tookMs = event.at - at;
    const error = failure ?? { code: status, message: `The run ${status}.` };
    const end =
      status === 'succeeded'
        ? outputs && { outputs: await this.#whole(id, outputs) }
        : { error: { code: error.code, message: error.message } };
    return [{ path: `${prefix}${path}`, ...call, tookMs, ...end }];
  }

  /** The value with all blobs loaded. */
  async #whole(id: string, value: Value): Promise<Json> {
    for (;;) {
      try {
        return resolve(value, (sha256) => this.#blobs.get(sha256));
      } catch (error) {
        if (!(error instanceof BlobsNeeded)) throw error;
        for (const sha256 of error.keys) this.#blobs.set(sha256, await this.#client.runs.value(id, sha256));
      }
    }
  }
}

function noteTaker(signals: readonly ReceivedSignal[], { path, signal }: EventOf<'step.succeeded'>): void {
  const received = signals.find(({ position }) => position === signal);
  if (received !== undefined) received.taker = path;
}

/** False for a question of a server during a call, whose answer is part of the call's result. */
function isStepsOwn(run: Run, path: string): boolean {
  return stateAt(run, path)?.status === 'waiting';
}

type CallDelivery = NonNullable<RecordedCall['error']>['delivery'];

const failureOf = (
  { failure: { code, message } }: Pick<EventOf<'step.failed' | 'step.retrying' | 'step.unknown'>, 'failure'>,
  delivery: CallDelivery,
): NonNullable<RecordedCall['error']> => ({
  code,
  message,
  ...(delivery === undefined || delivery === 'answered' ? {} : { delivery }),
});
