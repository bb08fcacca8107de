/**
 * A pool of threads that check workflows. Only the client that asked waits for one. A thread that hangs, or uses too
 * much, is replaced; one that has had nothing to do for a while is ended, since it keeps 20 MiB.
 */
import { ProblemError } from '@baton/api';
import { unawaited } from '@baton/primitives';

import type { CheckTaskAnswers, CheckTask, TaskOf } from './checkTask.ts';
import { type CheckLimits, type ThreadOutcome, CheckThread } from './checkThread.ts';

const usual: CheckLimits = { silentMs: 5_000, totalMs: 20_000, memoryMb: 256, idleMs: 30_000 };

/** Two: when one hangs, the others use the second. */
const threadsMax = 2;
/** Beyond this number, clients are asked to try again later. */
const waitingMax = 100;

export class CheckThreads {
  readonly #limits: CheckLimits;
  readonly #program: URL | undefined;
  readonly #all = new Set<CheckThread>();
  /** Threads without a task, with the timers that end them. The last one was used last. */
  readonly #idle = new Map<CheckThread, NodeJS.Timeout>();
  /** Clients that wait for a thread, in order of arrival. */
  readonly #waiting: ((thread: CheckThread | undefined) => void)[] = [];
  #isClosed = false;

  constructor(limits: Partial<CheckLimits> = {}, program?: URL) {
    this.#limits = { ...usual, ...limits };
    this.#program = program;
  }

  /** Number of threads, idle ones included. */
  get size(): number {
    return this.#all.size;
  }

  /** Starts a thread ahead of the first check. */
  warm(): void {
    if (this.#all.size === 0 && !this.#isClosed) this.#rest(this.#start());
  }

  /** Rejects with `ProblemError` if too many wait or the process ends, and with what the work throws. */
  async run<Kind extends CheckTask['kind']>(task: TaskOf<Kind>): Promise<ThreadOutcome<CheckTaskAnswers[Kind]>> {
    const thread = await this.#thread();
    try {
      return (await thread.run(task)) as ThreadOutcome<CheckTaskAnswers[Kind]>;
    } catch (error) {
      throw this.#isClosed ? overloaded('This orchestrator is ending.', error) : error;
    } finally {
      this.#putBack(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    await Promise.all([...this.#all].map((thread) => thread.close()));
  }

  async #thread(): Promise<CheckThread> {
    if (this.#isClosed) throw overloaded('This orchestrator is ending.');
    if (this.#waiting.length >= waitingMax) throw overloaded(`${waitingMax} checks of workflows wait already.`);
    const { promise, resolve } = Promise.withResolvers<CheckThread | undefined>();
    this.#waiting.push(resolve);
    this.#next();
    const thread = await promise;
    if (thread === undefined) throw overloaded('This orchestrator is ending.');
    return thread;
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const thread = this.#takeIdle() ?? (this.#all.size < threadsMax ? this.#start() : undefined);
    if (thread !== undefined) this.#waiting.shift()?.(thread);
  }

  #start(): CheckThread {
    const onGone = (): void => {
      this.#all.delete(thread);
      this.#forgetIdle(thread);
    };
    const thread = new CheckThread(this.#limits, onGone, this.#program);
    this.#all.add(thread);
    return thread;
  }

  #putBack(thread: CheckThread): void {
    if (thread.isGone) this.#all.delete(thread);
    else this.#rest(thread);
    if (!this.#isClosed) this.#next();
  }

  #rest(thread: CheckThread): void {
    this.#idle.set(thread, setTimeout(() => this.#end(thread), this.#limits.idleMs).unref());
  }

  #takeIdle(): CheckThread | undefined {
    const thread = [...this.#idle.keys()].at(-1);
    if (thread !== undefined) this.#forgetIdle(thread);
    return thread;
  }

  #forgetIdle(thread: CheckThread): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }

  #end(thread: CheckThread): void {
    this.#forgetIdle(thread);
    this.#all.delete(thread);
    unawaited(thread.close());
  }
}

const overloaded = (detail: string, cause?: unknown): ProblemError =>
  new ProblemError('overloaded', detail, { headers: { 'retry-after': '1' }, cause });
