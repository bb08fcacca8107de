/** A worker process: the production runner over simulated ports, put together as apps/worker does. */
import type { Run, RunEvent } from '@baton/engine';
import { isEnded } from '@baton/engine';
import { Semaphore } from '@baton/primitives';
import type { Children, ChildState, Ports } from '@baton/runner';
import { advance, BlobCache, RunDrivers, liveness, requested, UnavailableError, KnownSecrets } from '@baton/runner';

import type { Connection, Database } from './database.ts';
import type { Ledger } from './ledger.ts';
import { Machine } from './machine.ts';
import type { Queue } from './queue.ts';
import type { Rates } from './rates.ts';
import type { Safeguard } from './safeguards.ts';
import { serversFor } from './servers.ts';
import type { World } from './world.ts';

export interface Around {
  readonly world: World;
  readonly database: Database;
  readonly queue: Queue;
  readonly ledger: Ledger;
  readonly rates: () => Rates;
  readonly off: ReadonlySet<Safeguard>;
  /** Told of every event that a worker knows to be durable. */
  readonly observe: (run: Run, events: readonly RunEvent[]) => void;
}

const concurrency = 4;
const pollMs = 2_000;
const headStartMs = 1_500;

export class Worker {
  readonly machine: Machine;
  readonly #around: Around;
  readonly #drives: RunDrivers;
  #renewedAt = -Infinity;
  #openedAt = -Infinity;

  constructor(name: string, around: Around, skewMs: number) {
    const { world, queue, off } = around;
    this.#around = around;
    this.machine = new Machine(name, world);
    this.machine.skewMs = skewMs;
    const ports = this.#ports();
    this.#drives = new RunDrivers(ports);
    ports.bus.subscribe((hint) => this.#drives.routeHint(hint), 'foreign');
    this.#beat();
    queue.listen(this.machine, concurrency, (runId) => this.#drive(runId));
    if (!off.has('reconciler')) this.#poll();
  }

  kill(): void {
    this.machine.kill();
    this.#around.queue.bury(this.machine);
  }

  async #drive(runId: string): Promise<void> {
    try {
      await this.#drives.drive(runId);
    } catch (error) {
      if (!(error instanceof UnavailableError)) this.#around.world.fail(error);
    }
  }

  #beat(): void {
    const { machine } = this;
    const sentAt = this.#clockOfFence();
    machine.send(() => {
      this.#around.database.beat(machine.name);
      machine.receive(() => {
        if (this.#isLate()) this.#openedAt = machine.clock.monotonic();
        this.#renewedAt = Math.max(this.#renewedAt, sentAt);
      });
    });
    machine.clock.after(liveness.heartbeatMs, () => this.#beat());
  }

  #isLate(): boolean {
    return this.#clockOfFence() - this.#renewedAt >= liveness.fenceMs;
  }

  #clockOfFence(): number {
    const { clock } = this.machine;
    return this.#around.off.has('monotonicFence') ? clock.now() : clock.monotonic();
  }

  #poll(): void {
    const { clock, isCutOff } = this.machine;
    clock.after(pollMs, () => {
      if (!isCutOff) this.#look();
      this.#poll();
    });
  }

  #look(): void {
    const { database } = this.#around;
    for (const runId of database.cancelling()) this.#drives.routeHint({ runId, seq: Infinity });
    const room = Math.max(0, concurrency - this.#drives.size);
    const driven = new Set(this.#drives.runIds);
    const forgotten = database.ownedBy(this.machine.name).filter((runId) => !driven.has(runId));
    const found = [...forgotten, ...database.silent(liveness.silentMs), ...database.due(headStartMs)].slice(0, room);
    for (const runId of found) void this.#drive(runId);
  }

  #ports(): Ports {
    const { machine } = this;
    const { database, queue, ledger, rates, off, observe } = this.#around;
    const connection = database.connect(machine);
    const servers = serversFor(machine, { ledger, rates, off });
    const bell = queue.bellFor(machine);
    return {
      worker: machine.name,
      journal: connection,
      blobs: { get: (sha256) => machine.ask(() => database.journal.blobs.get(sha256)) },
      cache: new BlobCache(100_000),
      plans: (digest) =>
        machine.ask(() => {
          const plan = database.plans.get(digest);
          if (plan === undefined) throw new Error(`there is no plan ${digest}`);
          return plan;
        }),
      calls: servers,
      models: servers,
      children: childRuns(machine, database, connection, queue),
      secrets: async () => ({}),
      known: new KnownSecrets(),
      bell,
      bus: queue.busFor(machine),
      clock: machine.clock,
      workers: {
        isAlive: (worker) => machine.ask(() => !off.has('livingOwner') && database.isAlive(worker, liveness.silentMs)),
      },
      fence: {
        openSince: () => {
          if (off.has('fence')) return -Infinity;
          if (this.#isLate()) return undefined;
          return off.has('confirmation') ? -Infinity : this.#openedAt;
        },
      },
      waitingPlaces: new Semaphore(concurrency / 2),
      observe,
    };
  }
}

function childRuns(machine: Machine, database: Database, connection: Connection, queue: Queue): Children {
  const bell = queue.bellFor(machine);
  const ring = (runId: string): void => {
    bell.ring([{ runId }]).catch(() => {});
  };
  const stateOf = (runId: string): ChildState => {
    const { status, outputs, failure } = database.journal.row(runId) ?? {};
    if (status !== 'succeeded' && status !== 'failed' && status !== 'cancelled') return { kind: 'running', runId };
    return { kind: 'finished', runId, status, ...(outputs && { outputs }), ...(failure && { failure }) };
  };
  return {
    async request({ parent, workflow, inputs, by, depth, item }) {
      const trigger = { kind: 'workflow', detail: { run: parent.runId, step: parent.path } } as const;
      const { definition = workflow, part } = item ?? {};
      const order = { workflow, version: 1, definition, inputs, trigger, by, parent, depth, part };
      const { runId, kind } = await connection.request(requested(order, machine.clock.now()));
      if (kind === 'created') ring(runId);
      return machine.ask(() => stateOf(runId));
    },
    async cancel(parent, reason) {
      const runId = await machine.ask(() => database.journal.childOf(parent));
      if (runId === undefined) return false;
      const advanced = await advance(connection, runId, (run) => {
        if (isEnded(run) || run.cancel !== undefined) return [];
        const at = Math.max(machine.clock.now(), run.at);
        return [{ type: 'run.cancelRequested', at, by: `run ${parent.runId}`, reason }];
      });
      if (advanced !== undefined && advanced.events.length > 0) ring(runId);
      return true;
    },
  };
}
