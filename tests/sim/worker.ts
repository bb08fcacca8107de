/** A worker process: the production runner over simulated ports, put together as apps/worker does. A server takes runs in, too. */
import type { Run, RunEvent } from '@baton/engine';
import { Semaphore } from '@baton/primitives';
import {
  type BeginningRun,
  type Ports,
  BlobCache,
  KnownSecrets,
  liveness,
  RunDrivers,
  UnavailableError,
  UnsavedValues,
} from '@baton/runner';

import { childRuns } from './children.ts';
import type { Connection, Database } from './database.ts';
import type { Ledger } from './ledger.ts';
import { Machine } from './machine.ts';
import type { Queue } from './queue.ts';
import type { Rates } from './rates.ts';
import { AbandonedDriveError, Reads } from './reads.ts';
import type { Safeguard } from './safeguards.ts';
import { serversFor } from './servers.ts';
import { type Order, startRun } from './starting.ts';
import { brokenUpTurns, sharedConnections, wholeTurns } from './turns.ts';
import { secretName } from './workflows.ts';
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

/** A worker that has only its cache for a value until that is durable. */
class ForgetfulValues extends UnsavedValues {
  override hold(): void {
    // Nothing is held.
  }
}

const concurrency = 4;
const pollMs = 2_000;
/** How long a heartbeat holds a connection. */
const heldMs = 20;
const headStartMs = 1_500;

export class Worker {
  readonly machine: Machine;
  readonly #around: Around;
  readonly #drives: RunDrivers;
  readonly #connection: Connection;
  readonly #bell: Ports['bell'];
  readonly #connections = sharedConnections();
  #renewedAt = -Infinity;
  #openedAt = -Infinity;

  constructor(name: string, around: Around, skewMs: number) {
    const { world, queue, off } = around;
    this.#around = around;
    this.machine = new Machine(name, world);
    this.machine.skewMs = skewMs;
    this.#connection = around.database.connect(this.machine);
    const ports = this.#ports();
    this.#bell = ports.bell;
    this.#drives = new RunDrivers(ports);
    ports.bus.subscribe((hint) => this.#drives.routeHint(hint), 'foreign');
    this.#beat();
    queue.listen(this.machine, concurrency, (runId) => this.#note(this.#drives.drive(runId)));
    if (!off.has('reconciler')) this.#poll();
  }

  kill(): void {
    this.machine.kill();
    this.#around.queue.bury(this.machine);
  }

  /** A client's request. */
  start(order: Order): Promise<string> {
    const tryBegin = (beginning: BeginningRun): boolean => {
      if (this.#drives.size >= concurrency || this.#isLate() || !this.#drives.mayBegin(beginning.run.by)) return false;
      void this.#note(this.#drives.begin(beginning));
      return true;
    };
    const { machine } = this;
    return startRun({ machine, around: this.#around, connection: this.#connection, bell: this.#bell, tryBegin }, order);
  }

  async #note(driven: Promise<unknown>): Promise<void> {
    try {
      await driven;
    } catch (error) {
      const isExpected = error instanceof UnavailableError || error instanceof AbandonedDriveError;
      if (!isExpected) this.#around.world.fail(error);
    }
  }

  #beat(): void {
    void this.#renew();
    this.machine.clock.after(liveness.heartbeatMs, () => this.#beat());
  }

  async #renew(): Promise<void> {
    const { machine } = this;
    const { off, rates } = this.#around;
    const sentAt = this.#clockOfFence();
    const isShared = off.has('freeHeartbeat');
    const release = isShared ? await this.#connections.take(new AbortController().signal) : undefined;
    machine.send(() => {
      if (machine.random.chance(rates().heartbeatFails)) return machine.noteTrouble();
      this.#around.database.beat(machine.name);
      machine.receive(() => {
        if (this.#isLate()) this.#openedAt = machine.clock.monotonic();
        this.#renewedAt = Math.max(this.#renewedAt, sentAt);
      });
      return undefined;
    });
    if (release !== undefined) machine.clock.after(heldMs, release);
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
    const owned = this.#around.off.has('forgottenRuns') ? [] : database.ownedBy(this.machine.name);
    const forgotten = owned.filter((runId) => !driven.has(runId));
    const found = [...forgotten, ...database.silent(liveness.silentMs), ...database.due(headStartMs)].slice(0, room);
    for (const runId of found) void this.#note(this.#drives.drive(runId));
  }

  #ports(): Ports {
    const { machine } = this;
    const { database, queue, ledger, rates, off, observe } = this.#around;
    const connection = this.#connection;
    const servers = serversFor(machine, { ledger, rates, off });
    const bell = queue.bellFor(machine);
    const reads = new Reads(machine, this.#around);
    const { turns: table, turnLock: lock } = database;
    const turning = { machine, reads, table, lock, connections: this.#connections };
    const unsaved = off.has('unsavedValues') ? new ForgetfulValues() : new UnsavedValues();
    return {
      worker: machine.name,
      journal: connection,
      blobs: { get: (sha256) => reads.ask('valueReadFails', () => database.journal.blobs.get(sha256)) },
      cache: new BlobCache(100_000, unsaved),
      plans: (digest) =>
        reads.ask('definitionReadFails', () => {
          const plan = database.plans.get(digest);
          if (plan === undefined) throw new Error(`there is no plan ${digest}`);
          return plan;
        }),
      calls: servers,
      models: servers,
      children: childRuns({ machine, database, connection, bell, reads, rates, off }),
      secrets: () => reads.ask('secretReadFails', () => ({ [secretName]: 'correct-horse-battery' })),
      state: { read: (owner) => machine.ask(() => database.journal.state.valuesOf(owner)) },
      known: new KnownSecrets(),
      turns: off.has('freeHeartbeat') ? brokenUpTurns(turning) : wholeTurns(turning),
      bell,
      bus: queue.busFor(machine),
      clock: machine.clock,
      workers: {
        isAlive: (worker) =>
          reads.ask('ownerReadFails', () => !off.has('livingOwner') && database.isAlive(worker, liveness.silentMs)),
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
