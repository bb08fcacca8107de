/** One thread in which workflows are checked, one after the other. It is ended where it is stuck. */
import { Worker } from 'node:worker_threads';

import type { CheckTask } from './checkTask.ts';

/**
 * What a thread says of its task: that it has begun, the schema that it looks at next, and what came of it.
 * `workedMs`: what it had of a processor by then.
 */
export type ThreadMessage =
  | { readonly kind: 'begun'; readonly workedMs: number }
  | { readonly kind: 'at'; readonly schema: string; readonly workedMs: number }
  | { readonly kind: 'answer'; readonly answer: unknown };

export type ThreadOutcome<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** `at`: the last schema that was looked at. */
  | { readonly kind: 'given-up'; readonly at: string | undefined };

export interface CheckLimits {
  /**
   * A thread that works for so long and says nothing is stuck: a schema takes a tenth of a second at most. It is the
   * thread's own work that counts: where other processes have the processors, it is slow and not stuck.
   */
  readonly silentMs: number;
  readonly totalMs: number;
  /** Of the heap. */
  readonly memoryMb: number;
}

export class CheckThread {
  readonly #limits: CheckLimits;
  readonly #worker: Worker;
  #isGone = false;

  constructor(limits: CheckLimits) {
    this.#limits = limits;
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      // Nothing that it works on needs to know them.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
    });
    // It alone keeps no process alive.
    this.#worker.unref();
  }

  /** It was given up, or broke, and takes nothing more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async close(): Promise<void> {
    this.#isGone = true;
    await this.#worker.terminate();
  }

  /** Rejects where the work throws, and where the thread is closed. */
  async run(task: CheckTask): Promise<ThreadOutcome<unknown>> {
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome<unknown>>();
    let at: string | undefined;
    const giveUp = (): void => {
      void this.close();
      resolve({ kind: 'given-up', at });
    };
    const patience = new CheckTimeLimit(this.#limits, () => this.#workedMs(), giveUp);
    worker.ref();
    worker.on('message', (said: ThreadMessage) => {
      // A thread that has to start first is not held to its time.
      if (said.kind === 'begun') patience.begin(said.workedMs);
      else if (said.kind === 'answer') resolve({ kind: 'answered', answer: said.answer });
      else {
        at = said.schema;
        patience.heard(said.workedMs);
      }
    });
    worker.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return giveUp();
      void this.close();
      reject(error);
    });
    worker.on('exit', () => reject(new Error('The thread was closed.')));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(task);
    try {
      return await promise;
    } finally {
      patience.end();
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
      worker.unref();
    }
  }

  /** Undefined where it has ended. */
  async #workedMs(): Promise<number | undefined> {
    const used = await this.#worker.cpuUsage().catch(() => undefined);
    return used && processorMs(used);
  }
}

export const processorMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** Runs out when nothing was heard over too much work, or when it took too long in all. */
class CheckTimeLimit {
  readonly #limits: CheckLimits;
  readonly #workedMs: () => Promise<number | undefined>;
  readonly #onOut: () => void;
  #total: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** What had been worked when something was heard last. */
  #heardAtMs = 0;
  #isOver = false;

  constructor(limits: CheckLimits, workedMs: () => Promise<number | undefined>, onOut: () => void) {
    this.#limits = limits;
    this.#workedMs = workedMs;
    this.#onOut = onOut;
  }

  begin(workedMs: number): void {
    this.#total = setTimeout(() => this.#unlessOver(), this.#limits.totalMs);
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
    this.#silence = setTimeout(() => void this.#onSilence(), ms);
  }

  async #onSilence(): Promise<void> {
    const heardAtMs = this.#heardAtMs;
    const workedMs = await this.#workedMs();
    if (workedMs === undefined || this.#isOver || this.#heardAtMs !== heardAtMs) return;
    const leftMs = this.#limits.silentMs - (workedMs - heardAtMs);
    if (leftMs > 0) this.#listen(leftMs);
    else this.#unlessOver(() => this.#heardAtMs === heardAtMs);
  }

  /** Where this process itself was held up, the thread may have spoken meanwhile: that is read first. */
  #unlessOver(isStill = (): boolean => true): void {
    setImmediate(() => {
      if (!this.#isOver && isStill()) this.#onOut();
    });
  }
}
