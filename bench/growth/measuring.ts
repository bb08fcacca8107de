/** What all parts of bench/growth.ts share: how much of everything, installations, turns, what is told. */
import type { Load, Side } from '../core/load.ts';
import { spread } from '../core/stats.ts';
import type { Ratio } from '../report/ratios.ts';
import type { Services } from '../services.ts';
import { batonQueue } from '../sides/baton.ts';
import { type Stack, type StackOptions, startStack } from '../sides/stack.ts';

export interface Measuring {
  readonly services: Services;
  /** Finished runs, one after the other in the same database. */
  readonly stored: readonly number[];
  readonly queued: number;
  readonly waiting: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Called at the end, last one first. */
  readonly stops: (() => Promise<void>)[];
  readonly tell: (figure: Readonly<Record<string, unknown>>) => void;
  readonly promise: (ratio: Ratio) => void;
}

/** `1M`, `100k`: in the names of ratios. */
export function short(count: number): string {
  if (count >= 1_000_000) return `${count / 1_000_000}M`;
  return count >= 1_000 ? `${count / 1_000}k` : `${count}`;
}

let databases = 2;

export async function openStack(
  { services, stops }: Measuring,
  name: string,
  more: Pick<StackOptions, 'workers' | 'servers'> = {},
): Promise<Stack> {
  const { redis } = services;
  databases += 1;
  const stack = await startStack(services, { name, redisUrl: redis && `${redis.url}/${databases}`, ...more });
  stops.push(() => stack.close());
  return stack;
}

export async function feed({ services, stops }: Measuring, stack: Stack): Promise<Side> {
  const { side, feeder } = await batonQueue(stack, services);
  stops.push(() => feeder.stop());
  return side;
}

/** Runs per second. */
export async function rateOf(side: Side, load: Load): Promise<number> {
  const measured = await side.measure(load);
  return measured === undefined ? Number.NaN : measured.runs / measured.seconds;
}

/** One beside the other, round after round, beginning with another one each time: the ratio of each round. */
export async function inTurns<Of>(
  [of, beside]: readonly [Of, Of],
  rounds: number,
  measure: (one: Of) => Promise<number>,
): Promise<{ readonly ratios: readonly number[]; readonly of: readonly number[] }> {
  const found = { ratios: [] as number[], of: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await measure(beside) : undefined;
    const own = await measure(of);
    const other = first ?? (await measure(beside));
    found.ratios.push(own / other);
    found.of.push(own);
  }
  return found;
}

export const ratioOf = (
  name: string,
  ratios: readonly number[],
  more: { readonly target?: number; readonly isBetterHigher: boolean },
): Ratio => ({ name, ...spread(ratios), ...more });

/** So many at once, until none is left. */
export async function startMany({ client }: Stack, workflow: string, count: number): Promise<void> {
  let left = count;
  const starter = async (): Promise<void> => {
    while (left-- > 0) await client.start(workflow);
  };
  await Promise.all(Array.from({ length: 50 }, starter));
}
