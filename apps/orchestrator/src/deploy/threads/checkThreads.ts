/**
 * Where workflows are checked: in threads of their own. Only the client that asked waits for one; a thread that is
 * stuck, or takes too much, is ended, and another takes its place.
 */
import { UnavailableError } from '@baton/runner';

import type { CheckTaskAnswers, CheckTask, TaskOf } from './checkTask.ts';
import type { CheckLimits, ThreadOutcome } from './checkThread.ts';
import { CheckThread } from './checkThread.ts';

const usual: CheckLimits = { silentMs: 5_000, totalMs: 20_000, memoryMb: 256 };

/** One that is stuck leaves the other to everybody else. */
const threadsMax = 2;
/** Beyond it, a client is told to come back later. */
const waitingMax = 100;

export class CheckThreads {
  readonly #limits: CheckLimits;
  readonly #all = new Set<CheckThread>();
  readonly #idle: CheckThread[] = [];
  /** Those who wait for a thread, first come first. */
  readonly #waiting: ((thread: CheckThread | undefined) => void)[] = [];
  #isClosed = false;

  constructor(limits: Partial<CheckLimits> = {}) {
    this.#limits = { ...usual, ...limits };
  }

  /** So that the first check does not wait for a thread to start. */
  warm(): void {
    if (this.#all.size === 0 && !this.#isClosed) this.#idle.push(this.#start());
  }

  /** Rejects with `UnavailableError` where too many wait, and when the process ends; and where the work throws. */
  async run<Kind extends CheckTask['kind']>(task: TaskOf<Kind>): Promise<ThreadOutcome<CheckTaskAnswers[Kind]>> {
    const thread = await this.#thread();
    try {
      return (await thread.run(task)) as ThreadOutcome<CheckTaskAnswers[Kind]>;
    } catch (error) {
      throw this.#isClosed ? new UnavailableError('the process ends', { cause: error }) : error;
    } finally {
      this.#putBack(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    await Promise.all([...this.#all].map((thread) => thread.close()));
  }

  async #thread(): Promise<CheckThread> {
    if (this.#waiting.length >= waitingMax) throw new UnavailableError(`${waitingMax} checks wait already`);
    const { promise, resolve } = Promise.withResolvers<CheckThread | undefined>();
    this.#waiting.push(resolve);
    this.#next();
    const thread = await promise;
    if (thread === undefined) throw new UnavailableError('the process ends');
    return thread;
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const thread = this.#idle.pop() ?? (this.#all.size < threadsMax ? this.#start() : undefined);
    if (thread !== undefined) this.#waiting.shift()?.(thread);
  }

  #start(): CheckThread {
    const thread = new CheckThread(this.#limits);
    this.#all.add(thread);
    return thread;
  }

  #putBack(thread: CheckThread): void {
    if (thread.isGone) this.#all.delete(thread);
    else this.#idle.push(thread);
    if (!this.#isClosed) this.#next();
  }
}
