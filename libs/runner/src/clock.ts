/** Time, as the runner needs it. The simulation has its own. */
export interface Clock {
  /** Wall clock, epoch milliseconds. May jump. */
  now(): number;
  /** Never jumps; milliseconds since some instant of its own. */
  monotonic(): number;
  /** Calls back once after `ms`, unless the returned function is called first. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
