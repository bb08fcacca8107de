/** Measures sides in turn: one round of all of them, then the next, so that other load on the machine falls on all. */
import { cpuMs } from '../core/cpu.ts';
import { type Load, type Side, nameOf } from '../core/load.ts';

/** The same load for several sides. */
export interface Cell {
  readonly load: Load;
  readonly sides: readonly Side[];
}

/** One side, one load, one round. */
export interface Figure {
  readonly system: string;
  readonly workload: string;
  readonly concurrency: number;
  readonly backend: string;
  readonly round: number;
  readonly runsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the side with its servers; without the client that asks, and without the MCP server. */
  readonly cpuMsPerStep: number;
}

/**
 * `warmAgainMs`: how long each side gets the load before it is measured, because it has rested while the others were, and
 * begins with cold caches.
 */
export async function measureRounds(
  cells: readonly Cell[],
  { rounds, warmAgainMs = 0 }: { readonly rounds: number; readonly warmAgainMs?: number },
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { load, sides } of cells) {
    const failed = new Set<Side>();
    for (let round = 0; round < rounds; round += 1) {
      // Each round begins with another side: being first is no privilege.
      const order = sides.map((_, i) => sides[(i + round) % sides.length]).filter((side) => side !== undefined);
      for (const side of order) {
        if (failed.has(side)) continue;
        try {
          if (warmAgainMs > 0) await side.measure({ ...load, forMs: warmAgainMs });
          const figure = await measureOne(side, load, round);
          if (figure !== undefined) figures.push(figure);
        } catch (error) {
          failed.add(side);
          say(`${side.name} (${side.backend}) failed at ${nameOf(load)}: ${String(error)}`);
        }
      }
    }
    say(`measured ${nameOf(load)} with ${load.concurrency} in flight`);
  }
  return figures;
}

async function measureOne(side: Side, load: Load, round: number): Promise<Figure | undefined> {
  const before = cpuMs(side);
  const measured = await side.measure(load);
  const cpu = cpuMs(side) - before;
  if (measured === undefined) return undefined;
  const { runs, seconds, p50Ms, p99Ms } = measured;
  return {
    system: side.name,
    workload: nameOf(load),
    concurrency: load.concurrency,
    backend: side.backend,
    round,
    runsPerSecond: runs / seconds,
    p50Ms,
    p99Ms,
    cpuMsPerStep: cpu / (runs * load.steps),
  };
}
