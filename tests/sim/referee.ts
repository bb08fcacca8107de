/**
 * Watches what is written and what is done, and says which promise was broken. It believes the journal, the tool servers'
 * ledger and the clients, and nothing that a worker says of itself.
 */
import {
  type EventOf,
  type Run,
  type RunEvent,
  type RunningRun,
  evolve,
  isEnded,
  replay,
  stateAt,
} from '@baton/engine';
import { verifyChain, type MemoryJournal } from '@baton/testing';

import type { Ledger, Performed } from './ledger.ts';
import type { Machine } from './machine.ts';
import type { Record, WrittenEvent } from './record.ts';
import { isSame } from './same.ts';
import { StateLedger } from './stateLedger.ts';
import { judgeBeginning, judgeWritesOfChildren } from './trees.ts';
import { allowedTimes, pressedWorkflow, promiseOf, promisingWorkflow } from './workflows.ts';
import type { World } from './world.ts';

/** A worker is given up six seconds after its last heartbeat, and its runs are taken some seconds later. */
const healthyMs = 20_000;

export interface Counts {
  succeeded: number;
  failed: number;
  cancelled: number;
  poisonous: number;
  takeovers: number;
  unknown: number;
  /** Failures that a tool reported, and that were tried again. */
  retried: number;
  /** Answers that came after their outcome had been recorded as unknown, and were adopted. */
  late: number;
  calls: number;
  children: number;
  /** Answers that did not fit into an event. */
  large: number;
  /** Calls that an agent made again because it had no answer. */
  repeated: number;
  /** Runs that succeeded, and had promised something. */
  ensured: number;
  /** Runs that failed because what they had promised could not be read. */
  unread: number;
  /** Runs that went on after the database had lost some of their events. */
  rewound: number;
  /** Runs that were stored together with their first claim. */
  begun: number;
  /** Writes of state. */
  remembered: number;
  /** Writes of state that were refused because another run had written. */
  overtaken: number;
}

export class Referee {
  readonly records = new Map<string, Record>();
  readonly broken = new Set<string>();
  readonly counts: Counts = {
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    poisonous: 0,
    takeovers: 0,
    unknown: 0,
    retried: 0,
    late: 0,
    calls: 0,
    children: 0,
    large: 0,
    repeated: 0,
    ensured: 0,
    unread: 0,
    rewound: 0,
    begun: 0,
    remembered: 0,
    overtaken: 0,
  };
  readonly #world: World;
  readonly #machineOf: (worker: string) => Machine | undefined;
  /** What the database has lost. */
  /** Of runs that were stored together with their first claim, the last position of that append. */
  readonly #begunUpTo = new Map<string, number>();
  readonly #lost = new Map<string, WrittenEvent[]>();
  readonly #state = new StateLedger();

  /** `machineOf`: the process of a worker. */
  constructor(world: World, machineOf: (worker: string) => Machine | undefined) {
    this.#world = world;
    this.#machineOf = machineOf;
  }

  break(promise: string, detail: string): void {
    this.broken.add(`${promise}: ${detail}`);
  }

  get isEverythingOver(): boolean {
    return this.records.values().every(({ states }) => {
      const run = states.at(-1);
      return run !== undefined && isEnded(run);
    });
  }

  runOf(runId: string): Run | undefined {
    return this.records.get(runId)?.states.at(-1);
  }

  /** Everything that the database commits passes here. */
  readonly onWritten = (runId: string, seq: number, events: readonly RunEvent[]): void => {
    const record = this.records.get(runId) ?? { written: [], states: [undefined] };
    this.records.set(runId, record);
    if (seq === 0 && events.length > 1) {
      this.counts.begun += 1;
      this.#begunUpTo.set(runId, events.length);
    }
    if (seq !== record.written.length) this.break('I2 one order', `${runId} has a hole before ${seq + 1}`);
    for (const event of events) {
      record.written.push({ event, at: this.#world.now });
      this.#state.note(runId, event);
      record.states.push(this.#evolved(runId, record.states.at(-1), event));
    }
  };

  /** The database went back in time: so many events of each run are left. */
  goBack(left: ReadonlyMap<string, number>): void {
    for (const [runId, { written, states }] of this.records) {
      const count = left.get(runId) ?? 0;
      if (count > 0 && count < written.length) this.counts.rewound += 1;
      this.#lost.set(runId, [...(this.#lost.get(runId) ?? []), ...written.splice(count)]);
      states.splice(count + 1);
      if (count === 0) this.records.delete(runId);
    }
  }

  /** With what was lost, in order of time. */
  #everWritten(runId: string): readonly WrittenEvent[] {
    const { written = [] } = this.records.get(runId) ?? {};
    const lost = this.#lost.get(runId) ?? [];
    return lost.length === 0 ? written : [...written, ...lost].toSorted((a, b) => a.at - b.at);
  }

  #evolved(runId: string, before: Run | undefined, event: RunEvent): Run | undefined {
    try {
      if (before === undefined) {
        const run = replay(runId, [event]);
        judgeBeginning(this.records, run, (promise, detail) => this.break(promise, detail));
        return run;
      }
      if (event.at < before.at) this.break('I2 one order', `${runId} ${event.type} goes back in time`);
      this.#count(before, event);
      return evolve(before, event);
    } catch (error) {
      this.break('I6 legal moves', `${runId} ${event.type}: ${(error as Error).message}`);
      return before;
    }
  }

  #count(before: Run, event: RunEvent): void {
    if (event.type === 'run.claimed' && before.status === 'running') this.#countTakeover(before, event.worker);
    if ('failure' in event && event.failure?.code === 'integrity-lost')
      this.break('P18 no value is lost', `${before.id} ${event.type}: ${event.failure.message}`);
    if (event.type === 'step.unknown') this.counts.unknown += 1;
    if (event.type === 'step.succeeded' && 'blob' in event.value) this.counts.large += 1;
    if (event.type === 'step.retrying' && event.failure.code === 'tool-failed') this.counts.retried += 1;
    if (event.type !== 'step.succeeded' || event.verb !== 'tool' || event.by !== undefined) return;
    const state = stateAt(before, event.path);
    const isAsked = state?.status === 'waiting' && state.arrived === undefined;
    const isUnchecked = state?.status === 'unknown' && !state.frames.has(`@check${state.attempt}`);
    if (isAsked || isUnchecked) this.counts.late += 1;
  }

  #countTakeover({ id, seq, worker: owner }: RunningRun, worker: string): void {
    this.counts.takeovers += 1;
    // A worker gave its own run up, whose first append was late: nothing was there when it looked.
    const mayBeLate = worker === owner && this.#begunUpTo.get(id) === seq;
    if (!mayBeLate && this.#machineOf(owner)?.isHealthyFor(healthyMs) === true)
      this.break('P17 a healthy worker keeps its runs', `${id} of ${owner} is claimed by ${worker}`);
  }

  /** What a worker believes to be durable must be what the journal says. */
  readonly onObserved = (run: Run): void => {
    const truth = this.records.get(run.id)?.states[run.seq];
    if (!isSame(truth, run)) this.break('I4 replay', `${run.id} at ${run.seq} differs from its journal`);
  };

  /** After everything: the rules that need the whole story. */
  judge(journal: MemoryJournal, ledger: Ledger): void {
    this.counts.calls = ledger.entries.length;
    const byPath = Map.groupBy(ledger.entries, ({ attemptKey }) => attemptKey.slice(0, attemptKey.lastIndexOf('#')));
    for (const [runId, record] of this.records) {
      this.#judgeEnd(runId, record);
      this.#judgePromise(runId, record, ledger);
      this.#judgeUnread(runId, record);
      this.#judgeChain(runId, record, journal);
      this.#judgeLosses(runId, record);
      for (const { event, at } of record.written) {
        if ('path' in event) this.#judgeStep(event, at, byPath.get(`${runId}/${event.path}`) ?? []);
        if (event.type === 'step.unknown') this.#judgeUnknown(`${runId}/${event.path}#${event.attempt}`, event, ledger);
      }
    }
    this.#judgeParents();
    this.#judgeWrites(ledger);
    this.counts.remembered = this.#state.writes;
    this.counts.overtaken = this.#state.refusals;
    for (const detail of this.#state.differences(journal.state)) this.break('P20 state is what was written', detail);
  }

  /** Everything that was written and done, in order of time. */
  story(ledger: Ledger): string {
    const told = [...this.records].flatMap(([runId, { written }]) =>
      written.map(({ at, event }, index) => ({
        at,
        line: `${runId} ${index + 1} ${JSON.stringify(event).slice(0, 300)}`,
      })),
    );
    const done = ledger.entries.map(({ sentAt, attemptKey, tool, worker, arrivedAt }) => ({
      at: sentAt,
      line: `${attemptKey} ${tool}: sent by ${worker}, done at ${arrivedAt.toFixed(0)}`,
    }));
    const lines = [...told, ...done].toSorted((a, b) => a.at - b.at);
    return lines.map(({ at, line }) => `${at.toFixed(0).padStart(8)}  ${line}`).join('\n');
  }

  #judgeEnd(runId: string, { states }: Record): void {
    const run = states.at(-1);
    if (run === undefined || !isEnded(run)) {
      this.break('P1 never lost', `${runId} is ${run?.status ?? 'nothing'} long after all is well again`);
      return;
    }
    this.counts[run.status] += 1;
    if (run.status === 'failed' && run.failure.code === 'run-poisonous') this.counts.poisonous += 1;
    if (run.parent !== undefined) this.counts.children += 1;
  }

  /** Nothing is undone where the reading of what it promised ended without an answer. */
  #judgeUnread(runId: string, { states, written }: Record): void {
    const run = states.at(-1);
    if (run?.workflow !== pressedWorkflow.workflow || run.status !== 'failed') return;
    const hasBegun = written.some(({ event }) => event.type === 'step.started' && event.ensures !== undefined);
    // The answer may come while a limit ends the run: then it was read.
    const isTrue = written.some(({ event }) => event.type === 'step.succeeded' && event.verb === 'ensure');
    if (!hasBegun || isTrue || run.failure.code === 'not-achieved') return;
    this.counts.unread += 1;
    if (written.some(({ event }) => event.type === 'step.undone'))
      this.break('P15 unread', `${runId} could not read what it promised (${run.failure.code}), and undid`);
  }

  /** What it promised was done, by the ledger, before it said that it succeeded. */
  #judgePromise(runId: string, { states, written }: Record, ledger: Ledger): void {
    const run = states.at(-1);
    if (run?.workflow !== promisingWorkflow.workflow || run.status !== 'succeeded') return;
    const saidAt = written.at(-1)?.at ?? 0;
    this.counts.ensured += 1;
    const isDone = ledger.entries.some(({ key, arrivedAt }) => key === promiseOf(runId) && arrivedAt <= saidAt);
    if (!isDone) this.break('P15 ensured', `${runId} says that it succeeded, and what it promised was not done`);
  }

  #judgeChain(runId: string, { written, states }: Record, journal: MemoryJournal): void {
    const chain = verifyChain(journal.links(runId));
    if (!chain.isIntact || chain.seq !== written.length) this.break('P9 chain', `${runId} ${JSON.stringify(chain)}`);
    const again = replayed(runId, written);
    if (!isSame(again, states.at(-1))) this.break('I4 replay', `${runId} folds differently the second time`);
  }

  /** A run is set aside after three losses in a row, and not before. */
  #judgeLosses(runId: string, { written, states }: Record): void {
    let losses = 0;
    for (const [index, { event }] of written.entries()) {
      const before = states[index];
      if (event.type === 'run.claimed') losses = before?.status === 'running' ? losses + 1 : 0;
      if (event.type === 'run.waiting' || event.type === 'step.succeeded') losses = 0;
      if (event.type !== 'run.finished') continue;
      const isPoisonous = event.status === 'failed' && event.failure.code === 'run-poisonous';
      if (isPoisonous !== losses >= 3) this.break('poison', `${runId} ended after ${losses} losses in a row`);
    }
  }

  /** What is over is not done again. */
  #judgeStep(event: RunEvent & { path: string }, at: number, entries: readonly Performed[]): void {
    const isEnd = ['step.succeeded', 'step.failed', 'step.cancelled', 'step.skipped'].includes(event.type);
    // A read may be repeated by a worker that cannot know yet: that its end is on record, or that the run is not its
    // own.
    const again = isEnd ? entries.find(({ sentAt, effect }) => effect === 'write' && sentAt > at) : undefined;
    if (again !== undefined) this.break('P2 finished is finished', `${again.attemptKey} was sent after ${event.type}`);
  }

  /** A worker knows which calls it has sent; only one that is lost, or whose records are, may have sent any of its calls. */
  #judgeUnknown(attemptKey: string, { failure }: EventOf<'step.unknown'>, ledger: Ledger): void {
    const isGuessed = failure.message.includes('(worker-lost:') || failure.message.includes('Postgres has lost');
    if (!isGuessed && !ledger.wasSent(attemptKey))
      this.break('P19 unsent is unsent', `${attemptKey} was not sent, and is recorded as sent: ${failure.message}`);
  }

  #ownerAt(runId: string, instant: number): string | undefined {
    const claim = this.#everWritten(runId).findLast(
      ({ event, at }) => at <= instant && event.type === 'run.claimed',
    )?.event;
    return claim?.type === 'run.claimed' ? claim.worker : undefined;
  }

  #judgeParents(): void {
    const askers = new Set<string>();
    for (const [runId, { states }] of this.records) {
      const parent = states[1]?.parent;
      if (parent === undefined) continue;
      const key = JSON.stringify(parent);
      if (askers.has(key)) this.break('P8 one child', `${runId} is the second child of ${key}`);
      askers.add(key);
    }
  }

  #judgeWrites(ledger: Ledger): void {
    const writes = ledger.entries.filter(({ effect }) => effect === 'write');
    for (const [attempt, times] of Map.groupBy(writes, ({ attemptKey }) => attemptKey)) {
      if (times.length > 1) this.break('P3 never twice', `attempt ${attempt} was made ${times.length} times`);
    }
    for (const [key, times] of Map.groupBy(writes, (write) => write.key)) {
      if (times.length > allowedTimes(key)) this.break('P3 never twice', `${key} was done ${times.length} times`);
    }
    for (const write of writes) this.#judgeWrite(write);
    judgeWritesOfChildren(this.records, writes, (promise, detail) => this.break(promise, detail));
  }

  #judgeWrite({ runId, attemptKey, sentAt, worker }: Performed): void {
    const before = this.#everWritten(runId).filter(({ at }) => at <= sentAt);
    const [path = '', attempt] = attemptKey.slice(runId.length + 1).split('#');
    const isMeant = before.some(
      ({ event }) => event.type === 'step.started' && event.path === path && event.attempt === Number(attempt),
    );
    if (!isMeant) this.break('I5 intent before effect', `${attemptKey} was sent, and its intent was not on record`);
    if (this.#ownerAt(runId, sentAt) !== worker) {
      this.break('I3 one owner', `${attemptKey} was sent by ${worker}, who had lost the run`);
    }
  }
}

const replayed = (runId: string, written: readonly WrittenEvent[]): Run | undefined => {
  try {
    return replay(
      runId,
      written.map(({ event }) => event),
    );
  } catch {
    return undefined;
  }
};
