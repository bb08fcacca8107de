/** Concurrency limits in the database, and how a worker takes turns there. */
import type { Turn } from '@baton/engine';
import { Semaphore } from '@baton/primitives';
import { type Ring, type Turns, type TurnState, UnavailableError } from '@baton/runner';

import type { Machine } from './machine.ts';
import type { Reads } from './reads.ts';
import type { World } from './world.ts';

interface QueuedRun {
  readonly runId: string;
  readonly dueAt: number;
}

interface TurnQueue {
  readonly limit: number;
  runs: readonly QueuedRun[];
  /** The first ones, up to the limit. */
  admitted: ReadonlySet<string>;
}

/** Admits runs in order; an ended run holds no turn. */
export class TurnTable {
  readonly #isOver: (runId: string) => boolean;
  readonly #queues = new Map<string, TurnQueue>();

  constructor(isOver: (runId: string) => boolean) {
    this.#isOver = isOver;
  }

  take(runId: string, { workflow, limit }: Turn, dueAt: number): TurnState {
    const queue = this.#queues.get(workflow) ?? { limit, runs: [], admitted: new Set<string>() };
    this.#queues.set(workflow, queue);
    const others = queue.runs.filter((one) => one.runId !== runId);
    queue.runs = [...others, { runId, dueAt }].toSorted(inOrder);
    const admitted = this.#admit(queue).filter((ring) => ring.runId !== runId);
    return { isAdmitted: queue.admitted.has(runId), admitted, older: [] };
  }

  /** Runs that may begin because others have ended. */
  pass(): readonly Ring[] {
    return [...this.#queues.values()].flatMap((queue) => this.#admit(queue));
  }

  #admit(queue: TurnQueue): readonly Ring[] {
    queue.runs = queue.runs.filter(({ runId }) => !this.#isOver(runId));
    const before = queue.admitted;
    // One that was admitted keeps its turn, also where an earlier run comes later.
    const kept = queue.runs.filter(({ runId }) => before.has(runId));
    const next = queue.runs.filter(({ runId }) => !before.has(runId)).slice(0, Math.max(0, queue.limit - kept.length));
    queue.admitted = new Set([...kept, ...next].map(({ runId }) => runId));
    return next.map(({ runId }) => ({ runId }));
  }
}

const inOrder = (one: QueuedRun, other: QueuedRun): number =>
  one.dueAt - other.dueAt || (one.runId < other.runId ? -1 : 1);

/** Postgres ends a transaction that is idle for longer. */
const idleMs = 15_000;

/** A lock that a transaction of several statements holds between them. */
export class TransactionLock {
  readonly #world: World;
  readonly #permit = new Semaphore(1);

  constructor(world: World) {
    this.#world = world;
  }

  /** Resolves to the function that commits. `gone`: the client does not wait any more. */
  async take(gone: AbortSignal): Promise<() => void> {
    const release = await this.#permit.take(gone);
    const cancelEnd = this.#world.after(idleMs, () => {
      this.#world.touch();
      release();
    });
    return () => {
      cancelEnd();
      release();
    };
  }
}

/** The connections that a worker shares among what it asks, its heartbeat among them where that has none of its own. */
export const sharedConnections = (): Semaphore => new Semaphore(2);

const statements = 3;

export interface TurnsAround {
  readonly machine: Machine;
  readonly reads: Reads;
  readonly table: TurnTable;
  readonly lock: TransactionLock;
  readonly connections: Semaphore;
}

/** Each change is one statement. */
export const wholeTurns = ({ reads, table }: TurnsAround): Turns => ({
  take: (runId, turn, dueAt) => reads.ask('turnReadFails', () => table.take(runId, turn, dueAt)),
  pass: () => reads.ask('turnReadFails', () => table.pass()),
});

/** Each change is a transaction: a worker that stops in the middle holds the lock, and others wait with a connection. */
export function brokenUpTurns(around: TurnsAround): Turns {
  const { machine, table, lock, connections } = around;
  const change = async <T>(work: () => T): Promise<T> => {
    const release = await connections.take(new AbortController().signal);
    const gone = new AbortController();
    try {
      const commit = await machine.ask(() => lock.take(gone.signal), idleMs);
      for (let n = 0; n < statements; n++) await machine.ask(() => undefined);
      return await machine.ask(() => {
        const changed = work();
        commit();
        return changed;
      });
    } finally {
      gone.abort(new UnavailableError('the database did not answer'));
      release();
    }
  };
  return {
    take: (runId, turn, dueAt) => change(() => table.take(runId, turn, dueAt)),
    pass: () => change(() => table.pass()),
  };
}
