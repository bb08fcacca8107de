/**
 * Gives back the memory that a process took while it started, or was busy.
 *
 * V8 collects garbage when something is allocated. A process that has become idle therefore keeps its garbage, and the
 * young generation at the size that it needed last: 40 MiB of an orchestrator that has just started.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface IdleMemoryOptions {
  /** Processor time of the process so far, in milliseconds. */
  readonly usedCpuMs?: () => number;
  readonly collect?: () => void;
}

const intervalMs = 10_000;
/** In one interval. A process without work uses 50 ms; what is between the two is light work, which no pause may hold. */
const idleCpuMs = 150;
const busyCpuMs = 500;
const idleIntervals = 2;

export class IdleMemory {
  readonly #usedCpuMs: () => number;
  readonly #collect: () => void;
  readonly #timer: NodeJS.Timeout;
  #cpuMs = 0;
  /** Since the last collection. The start is work, too. */
  #hasBeenBusy = true;
  #idleFor = 0;

  constructor({ usedCpuMs = readCpuMs, collect = collectGarbage() }: IdleMemoryOptions = {}) {
    this.#usedCpuMs = usedCpuMs;
    this.#collect = collect;
    this.#timer = setInterval(() => this.check(), intervalMs).unref();
  }

  /**
   * Called at each interval. Collects once after each time of work, since a collection holds the process for 50 ms or
   * more.
   */
  check(): void {
    const cpuMs = this.#usedCpuMs();
    const used = cpuMs - this.#cpuMs;
    this.#cpuMs = cpuMs;
    if (used >= busyCpuMs) this.#hasBeenBusy = true;
    this.#idleFor = used < idleCpuMs ? this.#idleFor + 1 : 0;
    if (!this.#hasBeenBusy || this.#idleFor < idleIntervals) return;
    this.#collect();
    this.#hasBeenBusy = false;
    this.#cpuMs = this.#usedCpuMs();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Node has no function for it, and V8 has one for those who ask. */
export function collectGarbage(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
