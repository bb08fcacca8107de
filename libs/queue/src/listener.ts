/**
 * Answers bells with a BullMQ worker that restarts after failures and closes in order.
 *
 * A bell leaves the queue once it is taken, however its answer ends: the journal is in Postgres, and the reconciler finds
 * the runs of a dead worker. A job is held only while there is no slot for its runs, or for the next job's. Bells whose
 * answers have not ended after the grace time of `close` are rung again.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { endsWithin, Semaphore } from '@baton/primitives';
import type { Bell, BellListener, BellHandler, Ring } from '@baton/runner';
import { type Job, WaitingError } from 'bullmq';

import type { QueueBacking, QueueConsumer } from './backing.ts';
import { runsOf } from './bellJob.ts';
import type { QueueTroubles } from './queueTrouble.ts';

export interface ListenOptions {
  /** Bells answered at once. */
  readonly concurrency: number;
  /**
   * How long a job stays locked without renewal; a worker that stops renewing loses its job after one to three times
   * this.
   */
  readonly lockMs?: number;
}

/** The slots of a listener, each of which a bell may take. */
export interface BellSlots {
  /** Takes a slot for other work; undefined where none is free. The result gives it back. */
  tryTakeSlot(): (() => void) | undefined;
  /** The same, while no bell waits in the queue for a slot. */
  tryTakeIdleSlot(): (() => void) | undefined;
}

/** Delay between two attempts to start a worker. */
const restartMs = 1_000;
/** Longest wait at closing for a server that may never answer. */
const closeMs = 1_000;
/** How long a run waits here for a slot before its bell goes back to the queue. */
const slotMs = 50;

/** The job whose runs are being taken, or that waits until there is a slot for the next job's first run. */
interface HeldJob {
  readonly id: string;
  /** The queue may have given the job to another worker: this one must not finish it. */
  isLost: boolean;
}

export class QueueListener implements BellListener, BellSlots {
  readonly #backing: QueueBacking;
  readonly #bell: Bell;
  readonly #onBell: BellHandler;
  readonly #options: ListenOptions;
  readonly #troubles: QueueTroubles;
  readonly #slots: Semaphore;
  readonly #answering = new Map<Promise<void>, Ring>();
  readonly #leaving = new AbortController();
  /** Aborted when bells whose answers have not ended are rung again. */
  readonly #ringingAgain = new AbortController();
  readonly #running: Promise<void>;
  #held: HeldJob | undefined;
  /** The queue had no job when it was asked last. */
  #isQueueEmpty = false;
  #consumer: QueueConsumer | undefined;
  #closed: Promise<void> | undefined;

  constructor(backing: QueueBacking, bell: Bell, onBell: BellHandler, options: ListenOptions, troubles: QueueTroubles) {
    this.#backing = backing;
    this.#bell = bell;
    this.#onBell = onBell;
    this.#options = options;
    this.#troubles = troubles;
    this.#slots = new Semaphore(options.concurrency);
    this.#running = this.#keepRunning();
  }

  tryTakeSlot(): (() => void) | undefined {
    return this.#slots.tryTake();
  }

  tryTakeIdleSlot(): (() => void) | undefined {
    return this.#isQueueEmpty && !this.#leaving.signal.aborted ? this.#slots.tryTake() : undefined;
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#leaving.abort();
    const consumer = this.#consumer;
    const closed = consumer?.worker.close();
    closed?.catch((error: unknown) => this.#troubles.report('connection', error));
    await endsWithin(Promise.all(this.#answering.keys()), graceMs);
    this.#ringingAgain.abort('the worker is leaving');
    const again = this.#bell.ring([...this.#answering.values()]);
    await again.catch((error: unknown) => this.#troubles.report('connection', error));
    if (consumer !== undefined && closed !== undefined) await this.#closeConsumer(consumer, closed);
    await endsWithin(this.#running, closeMs);
  }

  /** Keeps a worker running. A worker of BullMQ whose first connection fails must be replaced. */
  async #keepRunning(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      const consumer = this.#open();
      this.#consumer = consumer;
      try {
        await this.#unlessLeaving(consumer.worker.waitUntilReady());
        if (!this.#leaving.signal.aborted) await consumer.worker.run();
      } catch (error) {
        this.#troubles.report('connection', error);
      }
      if (this.#leaving.signal.aborted) return;
      await this.#closeConsumer(consumer, consumer.worker.close());
      await sleep(restartMs, undefined, { signal: this.#leaving.signal }).catch(() => undefined);
    }
  }

  async #unlessLeaving(work: Promise<void>): Promise<void> {
    const left = Promise.withResolvers<void>();
    const leave = (): void => left.resolve();
    this.#leaving.signal.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([work, left.promise]);
    } finally {
      this.#leaving.signal.removeEventListener('abort', leave);
    }
  }

  #open(): QueueConsumer {
    const lockDuration = this.#options.lockMs ?? 30_000;
    const consumer = this.#backing.consumer((job, token) => this.#take(job, token), {
      autorun: false,
      // One job at a time: a job has many runs, and is finished as soon as each of them has a slot.
      concurrency: 1,
      lockDuration,
      stalledInterval: lockDuration,
      // The journal decides how often a run may kill its worker.
      maxStalledCount: 1_000_000,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    const { worker } = consumer;
    worker.on('drained', () => (this.#isQueueEmpty = true));
    worker.on('error', (error) => {
      this.#isQueueEmpty = false;
      // Redis answered. A job that has just been finished has no lock either; `lockRenewalFailed` is about both.
      if (!error.message.startsWith('could not renew lock')) this.#troubles.report('connection', error);
    });
    worker.on('stalled', (id) => this.#troubles.report('stalled', new Error(`job ${id} was taken back`)));
    worker.on('lockRenewalFailed', (ids) => {
      if (this.#held === undefined || !ids.includes(this.#held.id)) return;
      this.#held.isLost = true;
      this.#troubles.report('lock-lost', new Error(`the lock of job ${this.#held.id} was lost`));
    });
    return consumer;
  }

  /** Begins to answer the bells of a job. Resolves when there is a slot for the next job. */
  async #take(job: Job<unknown, void>, token = ''): Promise<void> {
    this.#isQueueEmpty = false;
    const runs = runsOf(job.data);
    if (runs === undefined) {
      this.#troubles.report('foreign-job', new Error('a job in the queue has no run ids'));
      return;
    }
    const held: HeldJob = { id: job.id ?? '', isLost: false };
    this.#held = held;
    const priority = Math.max(0, (job.opts.priority ?? 0) - this.#backing.firstPriority);
    let begun = 0;
    for (const runId of runs) {
      const release = await this.#takeSlot();
      if (release === undefined) break;
      this.#answer({ runId, priority }, release);
      begun += 1;
    }
    if (begun < runs.length) await this.#handBack(job, token, runs.slice(begun));
    // The next job may come when there is a slot for its first run.
    const release = await this.#slots.take(this.#leaving.signal).catch(() => undefined);
    release?.();
    this.#held = undefined;
    // Tells BullMQ that this worker does not finish the job.
    if (begun < runs.length || held.isLost) throw new WaitingError();
  }

  /** Puts the rest of a job back to the front of the queue. */
  async #handBack(job: Job<unknown, void>, token: string, runs: readonly string[]): Promise<void> {
    this.#held = undefined;
    try {
      await job.updateData({ runs });
      await job.moveToWait(token);
    } catch (error) {
      this.#troubles.report('connection', error);
    }
  }

  /** Takes a slot; undefined where none becomes free in time, or this worker is leaving. */
  async #takeSlot(): Promise<(() => void) | undefined> {
    const { signal } = this.#leaving;
    if (signal.aborted) return undefined;
    const release = this.#slots.tryTake();
    if (release !== undefined) return release;
    return this.#slots.take(AbortSignal.any([signal, AbortSignal.timeout(slotMs)])).catch(() => undefined);
  }

  #answer(ring: Ring, release: () => void): void {
    const ended = this.#call(ring.runId).finally(() => {
      this.#answering.delete(ended);
      release();
    });
    this.#answering.set(ended, ring);
  }

  async #call(runId: string): Promise<void> {
    try {
      await this.#onBell(runId, this.#ringingAgain.signal);
    } catch (error) {
      this.#troubles.report('answer-failed', error);
    }
  }

  /** Closes a worker, by force where the server does not answer. */
  async #closeConsumer(consumer: QueueConsumer, closed: Promise<void>): Promise<void> {
    if (!(await endsWithin(closed, closeMs))) {
      await endsWithin(consumer.worker.getBackend().close(true), closeMs);
    }
    consumer.release();
  }
}
