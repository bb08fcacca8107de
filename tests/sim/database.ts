/**
 * Postgres, as far as a run can see it: the journal with its uniqueness rules, heartbeats by the database's own clock, and
 * the questions of the reconciler. Every process has its own connection to it, which fails in its own ways.
 */
import type { Parent, RunEvent } from '@baton/engine';
import type { Plan } from '@baton/language';
import { type Append, type BlobStore, type Journal, type RunLog, UnavailableError } from '@baton/runner';
import { type RequestOutcome, type RunRequest, UnstoredLog } from '@baton/store';
import { type AppendFate, MemoryJournal } from '@baton/testing';

import { epochMs, type Machine } from './machine.ts';
import type { Rates } from './rates.ts';
import type { Safeguard } from './safeguards.ts';
import { TransactionLock, TurnTable } from './turns.ts';
import type { World } from './world.ts';

/** How long a commit takes at most. */
const quickMs = 20;
const slowMs = 4_000;
/** How long an append without a waiting caller may stay behind. */
const patienceMs = 10;

export type OnWritten = (runId: string, seq: number, events: readonly RunEvent[]) => void;

interface KnownRow {
  readonly createdAt: number;
  readonly parent: Parent | undefined;
}

export interface Connection extends Journal {
  readonly blobs: BlobStore;
  request(request: RunRequest): Promise<RequestOutcome>;
  unstored(request: RunRequest & Required<Pick<RunRequest, 'runId'>>): UnstoredLog;
}

/** Says that a run is stored before it is. */
class HastyLog extends UnstoredLog {
  override append(append: Append): Promise<void> {
    super.append(append).catch(() => undefined);
    return Promise.resolve();
  }
}

export class Database {
  readonly journal: MemoryJournal;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly turns: TurnTable;
  readonly turnLock: TransactionLock;
  readonly #world: World;
  readonly #rates: () => Rates;
  readonly #off: ReadonlySet<Safeguard>;
  readonly #known = new Map<string, KnownRow>();
  readonly #heartbeats = new Map<string, number>();
  /** When each event was committed, by run. */
  readonly #committed = new Map<string, number[]>();
  /** How often it went back in time: what was sent to another of its histories does not arrive in this one. */
  #history = 0;
  #runs = 0;

  constructor(
    world: World,
    plans: ReadonlyMap<string, Plan>,
    around: { readonly rates: () => Rates; readonly off: ReadonlySet<Safeguard>; readonly onWritten: OnWritten },
  ) {
    this.#world = world;
    this.plans = plans;
    this.turns = new TurnTable((runId) => this.journal.row(runId)?.endedAt !== undefined);
    this.turnLock = new TransactionLock(world);
    this.#rates = around.rates;
    this.#off = around.off;
    this.journal = new MemoryJournal({
      newId: () => this.newRunId(),
      isOptimistic: !around.off.has('optimisticAppend'),
      isUnique: !around.off.has('uniqueRequests'),
      isStateCompared: !around.off.has('comparedState'),
      isStateWithEvents: !around.off.has('stateWithEvents'),
      onWritten: (runId, seq, events) => {
        const [first] = events;
        this.#committed.set(runId, [...(this.#committed.get(runId) ?? []), ...events.map(() => world.now)]);
        if (first?.type === 'run.requested') {
          this.#known.set(runId, { createdAt: world.now, parent: first.parent });
        }
        around.onWritten(runId, seq, events);
      },
    });
  }

  newRunId(): string {
    this.#runs += 1;
    return `run-${this.#runs}`;
  }

  /** By its own clock, which is right. */
  get nowMs(): number {
    return epochMs + Math.round(this.#world.now);
  }

  /** What was committed after that instant is gone. Returns how many events of each run are left. */
  goBack(to: number): ReadonlyMap<string, number> {
    this.#history += 1;
    const left = new Map<string, number>();
    for (const [runId, times] of this.#committed) {
      const count = times.filter((at) => at <= to).length;
      if (count > 0) left.set(runId, count);
      else this.#known.delete(runId);
      times.splice(count);
    }
    this.journal.goBack(left);
    return left;
  }

  connect(machine: Machine): Connection {
    const { random } = machine;
    const history = this.#history;
    let isDropped = false;
    const fate = (): AppendFate => {
      if (isDropped || history !== this.#history) return 'lost';
      const { appendLost, appendUnheard, appendLate } = this.#rates();
      const draw = random.next();
      if (draw < appendLost) return 'lost';
      if (draw < appendLost + appendUnheard) return 'unheard';
      return draw < appendLost + appendUnheard + appendLate ? 'late' : 'written';
    };
    const door = this.journal.door({
      fate,
      schedule: (commit) => {
        const drop = (): void => {
          isDropped = true;
          commit();
          isDropped = false;
        };
        const mostMs = random.chance(this.#rates().commitSlow) ? slowMs : quickMs;
        if (machine.operate()) machine.send(commit, drop, mostMs);
      },
      afterwards: (commit) => {
        const arrive = (): void => (history === this.#history ? commit() : undefined);
        this.#world.after(random.next() * 10_000, arrive);
      },
    });
    return {
      open: (runId, after) =>
        machine.ask(async () => {
          if (random.chance(this.#rates().readFails)) throw new UnavailableError('the database is overloaded');
          const opened = await door.open(runId, after);
          return opened && { events: opened.events, log: this.#logOf(opened.log, machine) };
        }),
      request: (request) => machine.ask(() => door.request(request)),
      unstored: (request) => {
        const Log = this.#off.has('storedFirst') ? HastyLog : UnstoredLog;
        return new Log(request.runId, async (first) => {
          const { outcome, log } = await machine.ask(() => door.requestBegun(request, first));
          return { outcome, ...(log && { log: this.#logOf(log, machine) }) };
        });
      },
      blobs: {
        get: (sha256) =>
          machine.ask(() => {
            if (random.chance(this.#rates().valueReadFails)) throw new UnavailableError('the database is overloaded');
            return this.journal.blobs.get(sha256);
          }),
      },
    };
  }

  /**
   * Appends without a waiting caller leave a little later, unless the process dies meanwhile. The answers come over the
   * network too, in order; without one the outcome is unknown.
   */
  #logOf(log: RunLog, machine: Machine): RunLog {
    const isEarly = this.#off.has('durableIntent');
    let trouble: Error | undefined;
    let before: Promise<void> = Promise.resolve();
    const patient: (() => void)[] = [];
    const flush = (): void => patient.splice(0).forEach((leave) => leave());
    const leaves = ({ mayWait = false }: Append): Promise<void> =>
      new Promise((resolve) => {
        patient.push(resolve);
        if (mayWait) machine.clock.after(patienceMs, flush);
        else flush();
      });
    const answerTo = (append: Append): Promise<void> =>
      new Promise((resolve, reject) => {
        const fail = (error: Error): void => {
          trouble ??= error;
          reject(trouble);
        };
        const forget = machine.clock.after(5_000, () => fail(new UnavailableError('the database did not answer')));
        const heard = (then: () => void) => (): void => {
          machine.receive(() => {
            forget();
            then();
          });
        };
        leaves(append)
          .then(() => log.append(append))
          .then(heard(resolve), (error: unknown) => heard(() => fail(error as Error))());
      });
    return {
      runId: log.runId,
      get seq() {
        return log.seq;
      },
      append: (append) => {
        if (trouble !== undefined) return Promise.reject(trouble);
        const [first, own] = [before, answerTo(append)];
        own.catch(() => undefined);
        before = first.then(() => own);
        before.catch(() => undefined);
        return isEarly ? Promise.resolve() : before;
      },
      flush,
    };
  }

  parentOf(runId: string): Parent | undefined {
    return this.#known.get(runId)?.parent;
  }

  beat(worker: string): void {
    this.#heartbeats.set(worker, this.nowMs);
  }

  isAlive(worker: string, withinMs: number): boolean {
    return (this.#heartbeats.get(worker) ?? -Infinity) > this.nowMs - withinMs;
  }

  due(forMs: number): string[] {
    const before = this.nowMs - forMs;
    return this.#find((runId) => {
      const row = this.journal.row(runId);
      if (row?.endedAt !== undefined) return false;
      if (row?.wakeAt !== undefined) return row.wakeAt < before;
      return row?.status === 'queued' && epochMs + (this.#known.get(runId)?.createdAt ?? 0) < before;
    });
  }

  silent(forMs: number): string[] {
    return this.#find((runId) => {
      const row = this.journal.row(runId);
      return row?.status === 'running' && !this.isAlive(row.worker ?? '', forMs);
    });
  }

  ownedBy(worker: string): string[] {
    return this.#find((runId) => {
      const row = this.journal.row(runId);
      return row?.status === 'running' && row.worker === worker;
    });
  }

  cancelling(): string[] {
    return this.#find((runId) => this.journal.row(runId)?.isCancelling === true);
  }

  unnotifiedChildren(forMs: number): string[] {
    return this.#find((runId) => {
      const { endedAt } = this.journal.row(runId) ?? {};
      const parent = this.parentOf(runId);
      const isLong = endedAt !== undefined && endedAt < this.nowMs - forMs;
      return isLong && parent !== undefined && this.journal.row(parent.runId)?.status === 'waiting';
    });
  }

  #find(isWanted: (runId: string) => boolean): string[] {
    return this.journal.runIds.filter(isWanted);
  }
}
