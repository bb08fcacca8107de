/** An orchestrator process: takes runs in, carries what comes from outside, and makes good what got lost. */
import { isEnded, stateAt } from '@baton/engine';
import type { Json } from '@baton/primitives';
import { type Bell, type Bus, advance, liveness, notifyParentOf, UnavailableError } from '@baton/runner';

import type { Connection } from './database.ts';
import { Gateway } from './gateway.ts';
import { Machine } from './machine.ts';
import { type Order, startRun } from './starting.ts';
import type { Around } from './worker.ts';

const lookMs = 1_000;
const headStartMs = 2_000;
/** A run that was rung for is let be for a while. */
const patienceMs = 5_000;

export class Orchestrator {
  readonly machine: Machine;
  readonly gateway: Gateway;
  readonly #around: Around;
  readonly #connection: Connection;
  readonly #bell: Bell;
  readonly #bus: Bus;
  readonly #rungAt = new Map<string, number>();

  constructor(name: string, around: Around) {
    const { world, database, queue, off } = around;
    this.#around = around;
    this.machine = new Machine(name, world);
    this.#connection = database.connect(this.machine);
    this.#bell = queue.bellFor(this.machine);
    this.#bus = queue.busFor(this.machine);
    const [machine, connection, bell, bus] = [this.machine, this.#connection, this.#bell, this.#bus];
    this.gateway = new Gateway({ machine, database, connection, bell, bus, off });
    if (!off.has('reconciler')) this.#schedule();
  }

  start(order: Order): Promise<string> {
    return startRun(
      { machine: this.machine, around: this.#around, connection: this.#connection, bell: this.#bell },
      order,
    );
  }

  cancel(runId: string): Promise<boolean> {
    return this.#append(runId, (run) =>
      !isEnded(run) && run.cancel === undefined
        ? [{ type: 'run.cancelRequested', at: Math.max(this.machine.clock.now(), run.at), by: 'client' }]
        : [],
    );
  }

  answer(runId: string, path: string, answer: Json): Promise<boolean> {
    return this.#append(runId, (run) => {
      const state = stateAt(run, path);
      const isOpen = state?.status === 'waiting' && state.awaiting.for === 'answer' && state.arrived === undefined;
      if (!isOpen || isEnded(run)) return [];
      return [{ type: 'question.answered', at: Math.max(this.machine.clock.now(), run.at), path, answer, by: 'ada' }];
    });
  }

  signal(runId: string, name: string): Promise<boolean> {
    return this.#append(runId, (run) =>
      !isEnded(run)
        ? [{ type: 'signal.received', at: Math.max(this.machine.clock.now(), run.at), name, payload: null, by: 'bank' }]
        : [],
    );
  }

  async #append(runId: string, follow: Parameters<typeof advance>[2]): Promise<boolean> {
    const advanced = await advance(this.#connection, runId, follow);
    if (advanced === undefined || advanced.events.length === 0) return false;
    this.#bus.publish({ runId, seq: advanced.run.seq });
    this.#ring(runId);
    return true;
  }

  /** A bell that fails is rung again by the reconciler. */
  #ring(runId: string): void {
    this.#bell.ring([{ runId }]).catch(() => {});
  }

  #schedule(): void {
    this.machine.clock.after(lookMs, () => {
      this.#look().catch((error: unknown) => {
        if (!(error instanceof UnavailableError)) this.#around.world.fail(error);
      });
      this.#schedule();
    });
  }

  async #look(): Promise<void> {
    const { database, off } = this.#around;
    if (this.machine.isCutOff) return;
    for (const runId of this.#patiently(database.cancelling(), 'cancel')) {
      this.#bus.publish({ runId, seq: Infinity });
      this.#ring(runId);
    }
    for (const runId of this.#patiently(database.silent(liveness.silentMs), 'silent')) this.#ring(runId);
    for (const runId of this.#patiently(database.due(headStartMs), 'due')) this.#ring(runId);
    for (const { runId } of database.turns.pass()) this.#ring(runId);
    if (off.has('toldParents')) return;
    for (const runId of this.#patiently(database.unnotifiedChildren(headStartMs), 'untold'))
      await this.#notifyParent(runId);
  }

  async #notifyParent(runId: string): Promise<void> {
    const ports = { journal: this.#connection, bell: this.#bell, bus: this.#bus, clock: this.machine.clock };
    await notifyParentOf(ports, runId);
  }

  #patiently(runIds: readonly string[], why: string): string[] {
    const { now } = this.#around.world;
    return runIds.filter((runId) => {
      const key = `${why} ${runId}`;
      if ((this.#rungAt.get(key) ?? -Infinity) > now - patienceMs) return false;
      this.#rungAt.set(key, now);
      return true;
    });
  }
}
