/** One scenario, from its beginning until everything is over, or should be. */
import { type Run, type RunEvent, isEnded } from '@baton/engine';
import { UnavailableError, advance } from '@baton/runner';

import { Agent } from './agents.ts';
import { Database } from './database.ts';
import { sessionDocument } from './gateway.ts';
import { Ledger } from './ledger.ts';
import type { Machine } from './machine.ts';
import { Orchestrator } from './orchestrator.ts';
import { People } from './people.ts';
import { Queue } from './queue.ts';
import { type Rates, noTrouble } from './rates.ts';
import { type Counts, Referee } from './referee.ts';
import type { Safeguard } from './safeguards.ts';
import type { Fault, Scenario, Wish } from './scenario.ts';
import { type Around, Worker } from './worker.ts';
import { type Document, planOfDocument } from './workflows.ts';
import { World } from './world.ts';

export interface Outcome {
  /** Everything that was written and done, in order of time: one line each. */
  readonly story: () => string;
  /** Promises that were broken, with what shows it. */
  readonly broken: readonly string[];
  readonly counts: Counts;
}

/** All must be over so long after the last fault. Waits are seconds; clocks that were set forward, minutes. */
const patienceMs = 3 * 3_600_000;
/** A run that is started when all is well again succeeds within this time. */
const probeMs = 60_000;

const probe = {
  workflow: 'probe',
  steps: [{ id: 'a', tool: 's/pay', with: { key: ['$', '{{ run.id }}/a/fail/'].join('') } }],
};

export async function simulate(scenario: Scenario, off: readonly Safeguard[] = []): Promise<Outcome> {
  const simulation = new Simulation(scenario, new Set(off));
  return simulation.run();
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #around: Around;
  readonly #referee: Referee;
  readonly #people: People;
  readonly #workers: (Worker | undefined)[] = [];
  readonly #machines = new Map<string, Machine>();
  readonly #agents: Agent[] = [];
  readonly #orchestrators: (Orchestrator | undefined)[] = [];
  #rates: Rates;
  #incarnations = 0;
  #acknowledged = 0;
  #probe: string | undefined;

  constructor(scenario: Scenario, off: ReadonlySet<Safeguard>) {
    this.#scenario = scenario;
    this.#rates = scenario.rates;
    const world = new World(scenario.seed);
    const rates = (): Rates => this.#rates;
    const referee = new Referee(world, (worker) => this.#machines.get(worker));
    const documents: readonly Document[] = [...scenario.documents, probe, sessionDocument];
    const isEnsured = !off.has('ensured');
    const plans = new Map(
      documents.map(({ ensure, ...one }) => [
        one.workflow,
        planOfDocument(isEnsured && ensure !== undefined ? { ...one, ensure } : one),
      ]),
    );
    const database = new Database(world, plans, { rates, off, onWritten: referee.onWritten });
    const observe = (run: Run, _events: readonly RunEvent[]): void => referee.onObserved(run);
    this.#world = world;
    this.#referee = referee;
    this.#around = { world, database, queue: new Queue(world, rates), ledger: new Ledger(), rates, off, observe };
    this.#people = new People(world, referee, this.#around.ledger, () => this.#anyOrchestrator());
  }

  async run(): Promise<Outcome> {
    const { workers, orchestrators, wishes, agents, faults, healAt } = this.#scenario;
    for (let slot = 0; slot < workers; slot++) this.#startWorker(slot);
    for (let slot = 0; slot < orchestrators; slot++) this.#startOrchestrator(slot);
    wishes.forEach((wish, index) => this.#world.after(wish.at, () => void this.#wish(wish, `wish-${index}`)));
    agents.forEach(({ at, calls }, index) => this.#startAgent(`agent-${index}`, at, calls));
    for (const fault of faults) this.#world.after(fault.at, () => this.#break(fault));
    this.#world.after(healAt, () => this.#heal());
    const { journal } = this.#around.database;
    try {
      await this.#world.run(() => this.#isOver(), healAt + patienceMs);
      this.#referee.judge(journal, this.#around.ledger);
      this.#judgeWishes();
    } catch (error) {
      this.#referee.break('a bug', (error as Error).stack ?? String(error));
    }
    const story = (): string => this.#referee.story(this.#around.ledger);
    return { broken: [...this.#referee.broken], counts: this.#referee.counts, story };
  }

  #isOver(): boolean {
    const isAsked = this.#probe !== undefined && this.#acknowledged > this.#scenario.wishes.length;
    return isAsked && this.#agents.every(({ isDone }) => isDone) && this.#referee.isEverythingOver;
  }

  #judgeWishes(): void {
    const { wishes } = this.#scenario;
    if (this.#agents.some(({ isDone }) => !isDone)) this.#referee.break('P1 never lost', 'an agent got no answer');
    if (this.#acknowledged <= wishes.length) this.#referee.break('P1 never lost', 'a request was never answered');
    const keys = [...this.#referee.records.values()].flatMap(({ states }) => states[1]?.tags ?? []);
    if (new Set(keys).size < keys.length) this.#referee.break('P8 same key, same run', keys.join(' '));
    const { written = [], states = [] } = this.#referee.records.get(this.#probe ?? '') ?? {};
    const { status = 'nothing' } = states.at(-1) ?? {};
    const took = (written.at(-1)?.at ?? 0) - (written[0]?.at ?? 0);
    if (status !== 'succeeded' || took > probeMs) {
      this.#referee.break('P14 all is well again', `a new run is ${status} after ${took} ms`);
    }
  }

  #startWorker(slot: number): void {
    const name = `w${slot}.${++this.#incarnations}`;
    const skewMs = this.#world.random.int(-5_000, 5_000);
    const worker = new Worker(name, this.#around, skewMs);
    this.#workers[slot] = worker;
    this.#machines.set(name, worker.machine);
  }

  #startOrchestrator(slot: number): void {
    this.#orchestrators[slot] = new Orchestrator(`o${slot}.${++this.#incarnations}`, this.#around);
  }

  #startAgent(session: string, at: number, calls: number): void {
    const onRepeated = (): void => void (this.#referee.counts.repeated += 1);
    const agent = new Agent(this.#world, session, () => this.#anyOrchestrator()?.gateway, onRepeated);
    this.#agents.push(agent);
    this.#world.after(at, () => {
      this.#world.touch();
      agent.work(calls).catch((error: unknown) => this.#world.fail(error));
    });
  }

  #anyDoor(): Orchestrator | Worker | undefined {
    const doors = [...this.#orchestrators, ...(this.#scenario.areServers ? this.#workers : [])];
    const alive = doors.filter((one) => one?.machine.isRunning === true);
    return alive.length === 0 ? undefined : this.#world.random.pick(alive);
  }

  #anyOrchestrator(): Orchestrator | undefined {
    const alive = this.#orchestrators.filter((one) => one?.machine.isRunning === true);
    return alive.length === 0 ? undefined : this.#world.random.pick(alive);
  }

  /** A client asks until it has an answer, with the same key. */
  async #wish(wish: Wish, key: string): Promise<void> {
    const { workflow, cancelAt } = wish;
    const again = (): void => void this.#world.after(1_000, () => void this.#wish(wish, key));
    const answered = Promise.withResolvers<string | undefined>();
    this.#world.touch();
    // The orchestrator may die before it answers; the client does not wait for ever.
    this.#world.after(4_000, () => {
      this.#world.touch();
      answered.resolve(undefined);
    });
    const asked = this.#anyDoor()?.start({ workflow, key });
    asked?.then(answered.resolve, (error: unknown) => {
      if (!(error instanceof UnavailableError)) this.#world.fail(error);
      answered.resolve(undefined);
    });
    const runId = await answered.promise;
    if (runId === undefined) return again();
    this.#acknowledged += 1;
    if (key === 'probe') this.#probe = runId;
    if (cancelAt !== undefined) this.#world.after(cancelAt - this.#world.now, () => this.#people.cancel(runId));
  }

  #break(fault: Fault): void {
    const { queue } = this.#around;
    switch (fault.kind) {
      case 'flush':
        return queue.empty();
      case 'queueAway':
        queue.isAway = true;
        return void this.#world.after(fault.ms, () => queue.back());
      case 'killOrchestrator':
        return this.#killOrchestrator(fault.slot, fault.ms);
      case 'goBack':
        return this.#goBack(fault);
      default:
        return this.#breakWorker(this.#workers[fault.slot], fault);
    }
  }

  #breakWorker(worker: Worker | undefined, fault: Extract<Fault, { slot: number }>): void {
    if (worker === undefined) return;
    const { machine } = worker;
    switch (fault.kind) {
      case 'kill':
        return this.#kill(worker, fault.slot, fault.ms);
      case 'killAt':
        return machine.doom({ ...fault, what: () => this.#kill(worker, fault.slot, fault.ms) });
      case 'stop':
        return this.#stop(worker, fault.ms);
      case 'stopAt':
        // Once the turn is over: what it does in it, it does.
        return machine.doom({ ...fault, what: () => void this.#world.after(0, () => this.#stop(worker, fault.ms)) });
      case 'cutOff':
        machine.isCutOff = true;
        return void this.#world.after(fault.ms, () => (machine.isCutOff = false));
      case 'jump':
        machine.skewMs += fault.byMs;
        return undefined;
      default:
        return undefined;
    }
  }

  #kill(worker: Worker, slot: number, ms: number): void {
    if (this.#workers[slot] !== worker) return;
    worker.kill();
    this.#workers[slot] = undefined;
    this.#world.after(ms, () => {
      if (this.#workers[slot] === undefined) this.#startWorker(slot);
    });
  }

  #stop({ machine }: Worker, ms: number): void {
    machine.stop();
    this.#world.after(ms, () => machine.resume());
  }

  #killOrchestrator(slot: number, ms: number): void {
    this.#orchestrators[slot]?.machine.kill();
    this.#orchestrators[slot] = undefined;
    this.#world.after(ms, () => {
      if (this.#orchestrators[slot] === undefined) this.#startOrchestrator(slot);
    });
  }

  /** Every process ends as it sees that, and begins anew when the fence was lifted. */
  #goBack({ lostMs, ms }: Extract<Fault, { kind: 'goBack' }>): void {
    const { database, off } = this.#around;
    const { now } = this.#world;
    this.#workers.forEach((worker, slot) => worker !== undefined && this.#kill(worker, slot, ms));
    this.#orchestrators.forEach((_, slot) => this.#killOrchestrator(slot, ms));
    const left = database.goBack(now - lostMs);
    this.#referee.goBack(left);
    if (off.has('rewound')) return;
    const [from, to] = [database.nowMs - lostMs, database.nowMs];
    for (const runId of left.keys()) {
      const follow = (run: Run): RunEvent[] =>
        isEnded(run) ? [] : [{ type: 'run.rewound', at: Math.max(to, run.at), from, to, by: 'ada' }];
      advance(database.journal, runId, follow).catch((error: unknown) => this.#world.fail(error));
    }
  }

  /** From here on everything works, and every process that died is back soon. */
  #heal(): void {
    this.#rates = noTrouble;
    this.#around.queue.back();
    this.#around.queue.empty();
    for (let slot = 0; slot < this.#scenario.orchestrators; slot++) {
      if (this.#orchestrators[slot] === undefined) this.#startOrchestrator(slot);
    }
    for (let slot = 0; slot < this.#scenario.workers; slot++) {
      const worker = this.#workers[slot];
      if (worker === undefined) this.#startWorker(slot);
      else worker.machine.heal();
    }
    this.#people.areDiligent = true;
    this.#world.after(25_000, () => void this.#wish({ at: 0, workflow: probe.workflow }, 'probe'));
  }
}
