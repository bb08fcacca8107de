/**
 * What a seed stands for: workflows, orders, faults and their times. Plain data, so that a failing one can be shrunk.
 */
import { Random } from './random.ts';
import type { Rates } from './rates.ts';
import { noTrouble } from './rates.ts';
import { childName, type Document, randomWorkflow } from './workflows.ts';

export type Fault = { readonly at: number } & (
  | { readonly kind: 'kill' | 'killOrchestrator'; readonly slot: number; readonly ms: number }
  /** At the operation after so many of its next ones: in the middle of what it does then. */
  | { readonly kind: 'killAt' | 'stopAt'; readonly slot: number; readonly operations: number; readonly ms: number }
  | { readonly kind: 'stop' | 'cutOff'; readonly slot: number; readonly ms: number }
  | { readonly kind: 'jump'; readonly slot: number; readonly byMs: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'queueAway'; readonly ms: number }
);

export interface Wish {
  readonly at: number;
  readonly workflow: string;
  /** Since then it is to be cancelled. */
  readonly cancelAt?: number;
}

export interface Scenario {
  readonly seed: string;
  readonly documents: readonly Document[];
  readonly wishes: readonly Wish[];
  readonly workers: number;
  readonly orchestrators: number;
  readonly rates: Rates;
  readonly faults: readonly Fault[];
  /** From then on nothing goes wrong any more. */
  readonly healAt: number;
}

export function scenarioOf(seed: string): Scenario {
  const random = new Random(seed);
  const names = ['one', 'two', 'three'].slice(0, random.int(1, 2));
  const documents = [...names, childName].map((name) => randomWorkflow(random.stream(name), name));
  const workers = random.int(2, 3);
  const orchestrators = random.int(1, 2);
  const healAt = random.int(15_000, 45_000);
  const wishes = Array.from({ length: random.int(1, 4) }, (): Wish => {
    const at = random.int(0, healAt / 3);
    const cancel = random.chance(0.15) ? { cancelAt: at + random.int(0, 20_000) } : {};
    return { at, workflow: random.pick(names), ...cancel };
  });
  const isQuiet = random.chance(0.05);
  const size = { workers, orchestrators, healAt };
  const faults = Array.from({ length: isQuiet ? 0 : random.int(0, 8) }, () => randomFault(random, size));
  const rates = isQuiet ? noTrouble : randomRates(random);
  return { seed, documents, wishes, ...size, rates, faults: faults.toSorted((a, b) => a.at - b.at) };
}

/**
 * The same, made for workers that are taken for dead and are not: they stop for about as long as it takes to be given up,
 * their clocks are set back meanwhile, their calls wait for sessions, and they are not told when a run is taken over.
 */
export function zombieScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed);
  const random = new Random(seed).stream('zombies');
  const faults = Array.from({ length: 6 }, (): Fault[] => {
    const at = random.int(500, scenario.healAt);
    const slot = random.int(0, scenario.workers - 1);
    const stop: Fault = { at, kind: random.chance(0.8) ? 'stop' : 'cutOff', slot, ms: random.int(5_000, 11_000) };
    return random.chance(0.5) ? [stop, { at: at + 1, kind: 'jump', slot, byMs: -30_000 }] : [stop];
  });
  const rates: Rates = {
    ...noTrouble,
    appendLate: random.pick([0, 0.3, 0.3]),
    hintLost: 0.9,
    bellDoubled: 0.4,
    bellLate: 0.4,
    poolWaits: 0.7,
  };
  return { ...scenario, rates, faults: faults.flat().toSorted((a, b) => a.at - b.at) };
}

type Size = Pick<Scenario, 'workers' | 'orchestrators' | 'healAt'>;

function randomFault(random: Random, { workers, orchestrators, healAt }: Size): Fault {
  const at = random.int(0, healAt);
  const slot = random.int(0, workers - 1);
  const ms = random.chance(0.5) ? random.int(100, 5_000) : random.int(5_000, 20_000);
  const operations = random.int(0, 25);
  const kind = random.weighted({
    kill: 2,
    killAt: 5,
    stop: 2,
    stopAt: 3,
    cutOff: 2,
    jump: 1,
    killOrchestrator: 1,
    flush: 1,
    queueAway: 1,
  });
  switch (kind) {
    case 'jump':
      return { at, kind, slot, byMs: random.int(-600_000, 600_000) };
    case 'flush':
      return { at, kind };
    case 'queueAway':
      return { at, kind, ms };
    case 'killAt':
    case 'stopAt':
      return { at, kind, slot, operations, ms };
    case 'killOrchestrator':
      return { at, kind, slot: random.int(0, orchestrators - 1), ms };
    default:
      return { at, kind, slot, ms };
  }
}

/** Some seeds are quiet but for one kind of trouble, some have all of it. */
function randomRates(random: Random): Rates {
  const entries = Object.keys(noTrouble).map((name) => {
    const rate = random.chance(0.5) ? 0 : random.pick([0.01, 0.05, 0.2]);
    return [name, rate];
  });
  return { ...noTrouble, ...Object.fromEntries(entries) } as Rates;
}
