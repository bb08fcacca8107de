/**
 * Answers bells: a worker of BullMQ that never gives up, and lets go in an orderly way.
 *
 * A bell that is answered is gone, however that went: what should happen next stands in Postgres. Bells that are still
 * being answered when the grace of `close` is over go back to the queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { BellListener, OnBell } from '@baton/runner';
import { type Job, WaitingError } from 'bullmq';

import type { Backing, Consumer } from './backing.ts';
import { runIdOf } from './runId.ts';
import type { Troubles } from './trouble.ts';
import { endsWithin } from './within.ts';

export interface ListenOptions {
  /** Bells answered at once. */
  readonly concurrency: number;
  /** How long a job stays locked without renewal; a worker that stops renewing loses its bells after one to three times that. */
  readonly lockMs?: number;
}

/** Between two tries to get a worker going. */
const restartMs = 1_000;
/** For everything that a server which went away might never answer. */
const farewellMs = 1_000;

/** A bell that is being answered. */
interface Answering {
  readonly job: Job<unknown, void>;
  readonly token: string;
  readonly ended: Promise<unknown>;
  /** Ends the job for BullMQ, whatever the answer still does. */
  readonly letGo: () => void;
  /** The queue may have given the bell to somebody else: it is no longer ours to finish. */
  isLost: boolean;
}

export class QueueListener implements BellListener {
  readonly #backing: Backing;
  readonly #onBell: OnBell;
  readonly #options: ListenOptions;
  readonly #troubles: Troubles;
  readonly #answering = new Map<string, Answering>();
  readonly #leaving = new AbortController();
  readonly #attending: Promise<void>;
  #consumer: Consumer | undefined;
  #closed: Promise<void> | undefined;

  constructor(backing: Backing, onBell: OnBell, options: ListenOptions, troubles: Troubles) {
    this.#backing = backing;
    this.#onBell = onBell;
    this.#options = options;
    this.#troubles = troubles;
    this.#attending = this.#attend();
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#leaving.abort();
    const consumer = this.#consumer;
    if (consumer !== undefined) {
      const closed = consumer.worker.close();
      closed.catch((error: unknown) => this.#troubles.report('connection', error));
      await endsWithin(graceMs, Promise.all([...this.#answering.values()].map(({ ended }) => ended)));
      await endsWithin(farewellMs, this.#handBack(consumer));
      await this.#dismiss(consumer, closed);
    }
    await endsWithin(farewellMs, this.#attending);
  }

  /** Keeps a worker going. BullMQ's own is beyond repair where its first contact fails. */
  async #attend(): Promise<void> {
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
      await this.#dismiss(consumer, consumer.worker.close());
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

  #open(): Consumer {
    const lockDuration = this.#options.lockMs ?? 30_000;
    const consumer = this.#backing.consumer(
      // Declares the third parameter: only then BullMQ makes a signal.
      (job, token, signal) => this.#answer(job, token, signal),
      {
        autorun: false,
        concurrency: this.#options.concurrency,
        lockDuration,
        stalledInterval: lockDuration,
        // How often a run may kill its worker is for the journal to say.
        maxStalledCount: 1_000_000,
        runRetryDelay: 1_000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    const { worker } = consumer;
    worker.on('error', (error) => this.#troubles.report('connection', error));
    worker.on('stalled', (id) => this.#troubles.report('stalled', new Error(`job ${id} was taken back`)));
    worker.on('lockRenewalFailed', (ids) => {
      this.#troubles.report('lock-lost', new Error(`the locks of ${ids.length} jobs were lost`));
      for (const id of ids) {
        const answering = this.#answering.get(id);
        if (answering !== undefined) answering.isLost = true;
        worker.cancelJob(id, 'the queue took the job away');
      }
    });
    return consumer;
  }

  async #answer(job: Job<unknown, void>, token = '', signal = this.#leaving.signal): Promise<void> {
    const id = job.id ?? '';
    if (this.#leaving.signal.aborted) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const runId = runIdOf(job.data);
    if (runId === undefined) {
      this.#troubles.report('foreign-job', new Error('a job in the queue is no bell'));
      return;
    }
    const release = Promise.withResolvers<void>();
    const ended = this.#call(runId, signal);
    const answering: Answering = {
      job,
      token,
      ended,
      isLost: false,
      letGo: () => {
        answering.isLost = true;
        release.resolve();
      },
    };
    this.#answering.set(id, answering);
    await Promise.race([ended, release.promise]);
    this.#answering.delete(id);
    if (answering.isLost) throw new WaitingError();
  }

  async #call(runId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#onBell(runId, signal);
    } catch (error) {
      this.#troubles.report('answer-failed', error);
    }
  }

  async #handBack({ worker }: Consumer): Promise<void> {
    await Promise.all(
      [...this.#answering].map(async ([id, { job, token, letGo }]) => {
        const returned = job.moveToWait(token);
        worker.cancelJob(id, 'the worker is leaving');
        await returned.catch((error: unknown) => this.#troubles.report('connection', error));
        letGo();
      }),
    );
  }

  /** Closes a worker, gently where the server answers. */
  async #dismiss(consumer: Consumer, closed: Promise<void>): Promise<void> {
    for (const { letGo } of this.#answering.values()) letGo();
    if (!(await endsWithin(farewellMs, closed))) {
      await endsWithin(farewellMs, consumer.worker.getBackend().close(true));
    }
    consumer.release();
  }
}
