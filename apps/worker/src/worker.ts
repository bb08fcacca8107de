/** Assembles a worker from its parts, and stops them in order. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import type { Lifecycle, Logger, Tracing } from '@baton/boot';
import { type Run, type RunEvent, FailureError } from '@baton/engine';
import { endsWithin, Semaphore, unawaited } from '@baton/primitives';
import type { OpenQueue } from '@baton/queue';
import {
  type RunAdmission,
  type BoundSecrets,
  type Bus,
  type CallBudgets,
  type CallPace,
  type Calls,
  type Channels,
  type KnownSecrets,
  type Models,
  type Ports,
  type Home,
  type SharedClock,
  type StoredHere,
  BlobCache,
  Crowding,
  liveness,
  RunDrivers,
  RunOffers,
  UnavailableError,
  WaitingRunPoll,
} from '@baton/runner';
import { type Store, cachedPlans, isWorkerAlive, noteForgedRun, storedTurns } from '@baton/store';

import { childRuns } from './children.ts';
import { Heartbeat } from './heartbeat.ts';
import { placesOf } from './places.ts';
import { SetAside } from './setAside.ts';
import { endTrace, tracedCalls, tracedModels } from './traced.ts';
import { waitingRuns } from './waitingRuns.ts';

export interface WorkerParts {
  readonly store: Store;
  readonly clock: SharedClock;
  readonly secrets: BoundSecrets;
  readonly known: KnownSecrets;
  readonly queue: OpenQueue;
  readonly bus: Bus & Channels;
  /** For requests of this process. */
  readonly stored: StoredHere;
  /** Opened for runs that this process accepts. */
  readonly home: Home;
  readonly calls: Calls;
  readonly admit: RunAdmission;
  readonly pace: CallPace;
  readonly budgets: CallBudgets;
  readonly models: Models;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, 'onStop'>;
  readonly version: string;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** Maximum number of runs that bells may fill at once. */
  readonly concurrency: number;
  /** Called with events once they are durable. */
  readonly countEvents: (run: Run, events: readonly RunEvent[]) => void;
}

export interface StartedWorker {
  readonly id: string;
  /** Number of runs that it drives. */
  readonly runs: () => number;
  /** `late`: its heartbeat is overdue; it makes no call until it has renewed it. */
  readonly state: () => 'working' | 'late' | 'stopping';
}

const blobCacheBytes = 64 * 1024 * 1024;
/** How long a draining worker may continue to drive its runs. */
const drainMs = 24 * 3_600_000;
/** One in this many slots may be kept by a run that only waits for its children. */
const slotsPerWaitingRun = 4;
/** The part of the grace period that is reserved for writing the final state. */
const finalWriteMs = 2_000;

/** Resolves when the worker takes runs. Rejects with `UnavailableError` where Postgres is unreachable. */
export async function startWorker(parts: WorkerParts): Promise<StartedWorker> {
  const { store, queue, bus, log, lifecycle, concurrency } = parts;
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const identity = { id, host: hostname(), pid: process.pid, version: parts.version, concurrency };
  const draining = Promise.withResolvers<void>();
  const heartbeat = new Heartbeat({
    store,
    log,
    identity,
    onDrain: draining.resolve,
    onTime: (told) => parts.clock.adopt(told),
  });
  await heartbeat.start();
  const offers = new RunOffers(bus);
  const onCrowded = (): void => offers.sayCrowded({ worker: id, callers: poll.callersWithShare() });
  const crowding = new Crowding({ onCrowded, clock: parts.clock, concurrency });
  const drives = new RunDrivers(portsOf(parts, id, heartbeat, crowding));
  const driving = new Set<Promise<void>>();
  const setAside = new SetAside(parts.clock);
  const follow = (runId: string, drive: () => Promise<string>): Promise<void> => {
    const driven = noteDrive(runId, drive, { log, setAside }).finally(() => {
      driving.delete(driven);
      crowding.noteRuns(drives.size);
    });
    driving.add(driven);
    crowding.noteRuns(drives.size);
    return driven;
  };
  const take = (runId: string): Promise<void> => follow(runId, () => drives.drive(runId));
  const bells = queue.listen(take, { concurrency });
  const poll = new WaitingRunPoll({
    waiting: waitingRuns(store, id),
    clock: parts.clock,
    drives,
    take,
    setAside,
    onTrouble: (error) => logPollTrouble(log, error),
    bells,
    isDeaf: () => queue.isDeaf(),
    concurrency,
  });
  parts.home.open(placesOf({ heartbeat, drives, bells, follow }));
  const subscriptions = [
    bus.subscribe((hint) => drives.routeHint(hint), 'foreign'),
    offers.onOffer(id, (runId) => poll.consider(runId)),
  ];
  const drain = (): void => {
    log.info('the worker was asked to drain: it takes no more runs');
    poll.close();
    crowding.close();
    unawaited(bells.close(drainMs));
    drives.leave('soon');
  };
  unawaited(draining.promise.then(drain));
  lifecycle.onStop('runs', async (graceMs) => {
    poll.close();
    crowding.close();
    const closed = bells.close(graceMs);
    await heartbeat.drain();
    drives.leave('soon');
    await endsWithin(Promise.allSettled(driving), Math.max(0, graceMs - finalWriteMs));
    drives.leave('now');
    await endsWithin(Promise.allSettled(driving), finalWriteMs);
    for (const unsubscribe of subscriptions) unsubscribe();
    await closed;
    await heartbeat.close();
  });
  return { id, runs: () => drives.size, state: () => heartbeat.state };
}

function logPollTrouble(log: Logger, error: Error): void {
  if (error instanceof UnavailableError) log.debug({ err: error }, 'Postgres is not available; trying again soon');
  else log.warn({ err: error }, 'runs that can continue could not be read; trying again soon');
}

interface DriveNotes {
  readonly log: Logger;
  readonly setAside: SetAside;
}

async function noteDrive(runId: string, drive: () => Promise<string>, { log, setAside }: DriveNotes): Promise<void> {
  try {
    const driven = await drive();
    setAside.remove(runId);
    log.debug({ runId, driven }, 'drove a run');
  } catch (error) {
    // Postgres is unreachable: any worker that can reach it finds the run again.
    if (error instanceof UnavailableError) return log.warn({ err: error, runId }, 'the run could not be driven now');
    // The stored data was changed in the database: the run stays as it is until an operator examines it.
    if (error instanceof FailureError) {
      setAside.add(runId);
      return log.error({ err: error, runId }, 'a run cannot be driven');
    }
    log.fatal({ err: error, runId }, 'a bug occurred while the worker drove a run');
    // Rethrow outside the caller, which would turn it into a failed job: a bug must end the process.
    setImmediate(() => {
      throw error;
    });
  }
}

function portsOf(parts: WorkerParts, id: string, heartbeat: Heartbeat, crowding: Crowding): Ports {
  const { store, clock, secrets, known, queue, bus, stored, calls, admit, pace, budgets, models } = parts;
  const { log, tracing, concurrency } = parts;
  const plans = cachedPlans(store);
  return {
    worker: id,
    journal: store.journal,
    blobs: store.blobs,
    cache: new BlobCache(blobCacheBytes),
    plans,
    calls: tracing === undefined ? calls : tracedCalls(calls, tracing),
    pace,
    budgets,
    models: tracing === undefined ? models : tracedModels(models, tracing),
    noteForgery: (runId, message) => noteForgedRun(store, { by: `worker ${id}`, runId, message }),
    children: childRuns({ store, worker: id, plans, bell: queue.bell, bus, clock, budgets }),
    secrets: secrets.ofStep,
    state: store.state,
    known,
    turns: storedTurns(store),
    bell: queue.bell,
    bus,
    clock,
    admit,
    workers: { isAlive: (worker) => isWorkerAlive(store, worker, liveness.silentMs) },
    fence: heartbeat,
    waitingPlaces: new Semaphore(Math.floor(concurrency / slotsPerWaitingRun)),
    observe: (run, events) => {
      logEvents(log, run, events);
      noteWait(crowding, run, events);
      stored.tell(run, events);
      parts.countEvents(run, events);
      if (tracing !== undefined) endTrace(tracing, run, events);
    },
  };
}

/** The same field names identify a step in logs and in the journal. */
function logEvents(log: Logger, run: Run, events: readonly RunEvent[]): void {
  for (const event of events) logStretch(log, run, event);
  if (!log.isLevelEnabled('debug')) return;
  const before = run.seq - events.length;
  for (const [at, event] of events.entries()) {
    const step = 'path' in event ? { step: event.path } : {};
    log.debug({ runId: run.id, seq: before + at + 1, ...step }, event.type);
  }
}

/** One line at the beginning of a run, and one at its end. */
function logStretch(log: Logger, { id: runId, workflow }: Run, event: RunEvent): void {
  if (event.type === 'run.claimed' && event.claim === 1) log.info({ runId, workflow }, 'a run began');
  if (event.type !== 'run.finished') return;
  const failure = event.status === 'failed' ? { failure: event.failure.code } : {};
  log.info({ runId, workflow, status: event.status, ...failure }, 'a run ended');
}

/** How long a run waited for its first worker. */
function noteWait(crowding: Crowding, run: Run, events: readonly RunEvent[]): void {
  const [first] = events;
  if (first?.type !== 'run.claimed' || first.claim > 1) return;
  crowding.noteWait(first.at - Math.max(run.createdAt, run.notBefore ?? 0));
}
