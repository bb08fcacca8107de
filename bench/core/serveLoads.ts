/**
 * The child's end: a side that lives in a process of its own, and is told over the channel to its parent what to do.
 */
import type { Load, Measured } from './load.ts';

interface Served {
  /** Begins one run and resolves when it is over; undefined where the side has no such workload. */
  readonly prepare: (load: Load) => Promise<(() => Promise<unknown>) | undefined>;
  readonly loop: (load: Load, one: () => Promise<unknown>) => Promise<Measured>;
  /** What the parent needs to know. */
  readonly ready?: Readonly<Record<string, unknown>>;
}

/** Until the parent is gone or lets go. */
export function serveLoads({ prepare, loop, ready = {} }: Served): void {
  const answer = async (load: Load): Promise<void> => {
    try {
      const one = await prepare(load);
      process.send?.({ measured: one === undefined ? null : await loop(load, one) });
    } catch (error) {
      process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };
  process.on('message', (load: Load) => void answer(load));
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready });
}
