/** The one clock that all sides are measured with. Plain enough to be imported by the peers, which are JavaScript. */
import type { Load, Measured } from './load.ts';

/** Keeps `concurrency` runs in flight for a while; each is over when its promise resolves. */
export async function closedLoop(
  { concurrency, forMs }: Pick<Load, 'concurrency' | 'forMs'>,
  one: () => Promise<unknown>,
): Promise<Measured> {
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let now = performance.now(); now - start < forMs;) {
        await one();
        const then = now;
        now = performance.now();
        times.push(now - then);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { runs: times.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
