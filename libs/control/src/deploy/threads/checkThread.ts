/** One thread that checks workflows, one after the other. A thread that hangs is ended. */
import { Worker } from 'node:worker_threads';

import { unawaited } from '@baton/primitives';

import type { CheckTask } from './checkTask.ts';

/**
 * Messages of a thread about its task: it has begun, the schema that it examines next, the result. `workedMs`:
 * processor time so far.
 */
export type ThreadMessage =
  | { readonly kind: 'begun'; readonly workedMs: number }
  | { readonly kind: 'at'; readonly schema: string; readonly workedMs: number }
  | { readonly kind: 'answer'; readonly answer: unknown };

export type ThreadOutcome<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** `at`: the last schema that the thread examined. */
  | { readonly kind: 'given-up'; readonly at: string | undefined };

export interface CheckLimits {
  /**
   * A thread that works for this long without a message counts as hanging: a schema takes a tenth of a second at most.
   * Only the thread's own processor time counts, so that a thread on a busy machine is not ended.
   */
  readonly silentMs: number;
  readonly totalMs: number;
  /** Limit of the heap, in megabytes. */
  readonly memoryMb: number;
  /** How long a thread is kept without a task. */
  readonly idleMs: number;
}

/** A thread rests most of the time, and would keep 20 MiB for objects that die young. In megabytes. */
const youngMb = 6;

export class CheckThread {
  readonly #limits: CheckLimits;
  readonly #worker: Worker;
  #isGone = false;

  /** `onGone`: the thread has ended, whether it worked or was idle. */
  constructor(limits: CheckLimits, onGone: () => void, program = new URL('./thread.ts', import.meta.url)) {
    this.#limits = limits;
    this.#worker = new Worker(program, {
      // The task needs no environment variables.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: youngMb },
    });
    const gone = (): void => {
      this.#isGone = true;
      onGone();
    };
    // A thread may also end while it is idle; an error that has no listener would end this process.
    this.#worker.on('error', gone).on('exit', gone);
    // An idle thread must not keep the process running.
    this.#worker.unref();
  }

  /** The thread was ended or crashed, and takes no more tasks. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async close(): Promise<void> {
    this.#isGone = true;
    await this.#worker.terminate();
  }

  /** Rejects if the work throws, and if the thread is closed. */
  async run(task: CheckTask): Promise<ThreadOutcome<unknown>> {
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome<unknown>>();
    let at: string | undefined;
    const giveUp = (): void => {
      unawaited(this.close());
      resolve({ kind: 'given-up', at });
    };
    const timeLimit = new CheckTimeLimit(this.#limits, () => this.#workedMs(), giveUp);
    const onMessage = (said: ThreadMessage): void => {
      // The limit does not include the start of the thread.
      if (said.kind === 'begun') timeLimit.begin(said.workedMs);
      else if (said.kind === 'answer') resolve({ kind: 'answered', answer: said.answer });
      else {
        at = said.schema;
        timeLimit.heard(said.workedMs);
      }
    };
    const onError = (error: Error & { code?: string }): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return giveUp();
      unawaited(this.close());
      reject(error);
    };
    const onExit = (): void => reject(new Error('The thread was closed.'));
    worker.ref();
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(task);
    try {
      return await promise;
    } finally {
      timeLimit.end();
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
    }
  }

  /** Undefined if the thread has ended. */
  async #workedMs(): Promise<number | undefined> {
    const used = await this.#worker.cpuUsage().catch(() => undefined);
    return used && processorMs(used);
  }
}

export const processorMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** Fires when the thread has worked too long without a message, or too long in all. */
class CheckTimeLimit {
  readonly #limits: CheckLimits;
  readonly #workedMs: () => Promise<number | undefined>;
  readonly #onOut: () => void;
  #total: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** The processor time at the last message. */
  #heardAtMs = 0;
  #isOver = false;

  constructor(limits: CheckLimits, workedMs: () => Promise<number | undefined>, onOut: () => void) {
    this.#limits = limits;
    this.#workedMs = workedMs;
    this.#onOut = onOut;
  }

  begin(workedMs: number): void {
    this.#total = setTimeout(() => this.#giveUpUnlessOver(), this.#limits.totalMs);
    this.heard(workedMs);
  }

  heard(workedMs: number): void {
    this.#heardAtMs = workedMs;
    this.#listen(this.#limits.silentMs);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#total);
    clearTimeout(this.#silence);
  }

  #listen(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => unawaited(this.#onSilence()), ms);
  }

  async #onSilence(): Promise<void> {
    const heardAtMs = this.#heardAtMs;
    const workedMs = await this.#workedMs();
    if (workedMs === undefined || this.#isOver || this.#heardAtMs !== heardAtMs) return;
    const leftMs = this.#limits.silentMs - (workedMs - heardAtMs);
    if (leftMs > 0) this.#listen(leftMs);
    else this.#giveUpUnlessOver(() => this.#heardAtMs === heardAtMs);
  }

  /** If this process was itself held up, read the messages that arrived meanwhile first. */
  #giveUpUnlessOver(isStillSilent = (): boolean => true): void {
    setImmediate(() => {
      if (!this.#isOver && isStillSilent()) this.#onOut();
    });
  }
}
