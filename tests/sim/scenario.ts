/**
 * What a seed stands for: workflows, orders, faults and their times. Plain data, so that a failing one can be shrunk.
 */
import { Random } from './random.ts';
import { type Rates, noTrouble } from './rates.ts';
import {
  type Document,
  type WritingStyle,
  childName,
  countingWorkflow,
  decidingWorkflow,
  grandchildName,
  pressedWorkflow,
  promisingWorkflow,
  randomWorkflow,
  usualStyle,
} from './workflows.ts';

export type Fault = { readonly at: number } & (
  | { readonly kind: 'kill' | 'killOrchestrator'; readonly slot: number; readonly ms: number }
  /** At the operation after so many of its next ones: in the middle of what it does then. */
  | { readonly kind: 'killAt' | 'stopAt'; readonly slot: number; readonly operations: number; readonly ms: number }
  | { readonly kind: 'stop' | 'cutOff'; readonly slot: number; readonly ms: number }
  | { readonly kind: 'jump'; readonly slot: number; readonly byMs: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'queueAway'; readonly ms: number }
  /** A backup takes the place of the database: the last `lostMs` are gone. Processes begin anew after `ms`. */
  | { readonly kind: 'goBack'; readonly lostMs: number; readonly ms: number }
);

export interface Wish {
  readonly at: number;
  readonly workflow: string;
  /** Since then it is to be cancelled. */
  readonly cancelAt?: number;
}

/** A client of the gateway: so many calls, one after the other. */
interface AgentPlan {
  readonly at: number;
  readonly calls: number;
}

export interface Scenario {
  readonly seed: string;
  readonly documents: readonly Document[];
  readonly wishes: readonly Wish[];
  readonly agents: readonly AgentPlan[];
  readonly workers: number;
  readonly orchestrators: number;
  /** Workers take runs in, too. */
  readonly areServers: boolean;
  readonly rates: Rates;
  readonly faults: readonly Fault[];
  /** From then on nothing goes wrong any more. */
  readonly healAt: number;
}

export function scenarioOf(seed: string, style?: WritingStyle): Scenario {
  const random = new Random(seed);
  const names = ['one', 'two', 'three'].slice(0, random.int(1, 2));
  const documents = [...names, childName, grandchildName].map((name) =>
    randomWorkflow(random.stream(name), name, style),
  );
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
  const agents = Array.from({ length: random.chance(0.2) ? random.int(1, 2) : 0 }, () => randomAgent(random, healAt));
  const areServers = new Random(seed).stream('servers').chance(0.5);
  return {
    seed,
    documents,
    wishes,
    agents,
    ...size,
    areServers,
    rates,
    faults: faults.toSorted((a, b) => a.at - b.at),
  };
}

/**
 * The same, made for workers that are taken for dead and are not: they stop for about as long as it takes to be given up,
 * their clocks are set back meanwhile, their calls wait for sessions, and they are not told when a run is taken over.
 */
export function zombieScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed, { childWeight: 0.5, reading: 0, queueing: 0 });
  const random = new Random(seed).stream('zombies');
  const faults = Array.from({ length: 10 }, (): Fault[] => {
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

/** The same, made for runs that wait for each other. */
export const queueScenarioOf = (seed: string): Scenario => scenarioOf(seed, { ...usualStyle, queueing: 1 });

/** The same, made for values that do not fit into an event, and for reads of them that fail. */
export function valueScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed, { ...usualStyle, reading: 0.9 });
  const random = new Random(seed).stream('values');
  const rates: Rates = {
    ...noTrouble,
    appendLost: random.pick([0, 0, 0.05]),
    commitSlow: random.pick([0.05, 0.3]),
    largeAnswers: 0.6,
    valueReadFails: random.pick([0.05, 0.2]),
    valueReadSlow: random.pick([0, 0.5]),
    secretReadFails: random.pick([0, 0.2]),
  };
  const documents = [...scenario.documents, decidingWorkflow];
  const wishes = [...scenario.wishes, { at: random.int(0, 5_000), workflow: decidingWorkflow.workflow }];
  return { ...scenario, documents, wishes, rates, faults: scenario.faults.slice(0, 2) };
}

/** The same, with runs that ensure what a server only says to have done. */
export function promiseScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed);
  const random = new Random(seed).stream('promises');
  const promising = [promisingWorkflow, pressedWorkflow];
  const wishes = promising.map(({ workflow }) => ({ at: random.int(0, scenario.healAt / 3), workflow }));
  return {
    ...scenario,
    documents: [...scenario.documents, ...promising],
    wishes: [...scenario.wishes, ...wishes],
  };
}

/** The same, with runs that write to the state of their workflow beside each other. */
export function stateScenarioOf(seed: string): Scenario {
  const scenario = promiseScenarioOf(seed);
  const random = new Random(seed).stream('state');
  const begin = random.int(0, scenario.healAt / 3);
  const counting = Array.from({ length: random.int(2, 5) }, () => ({
    at: begin + random.int(0, 2_000),
    workflow: countingWorkflow.workflow,
  }));
  return {
    ...scenario,
    documents: [...scenario.documents, countingWorkflow],
    wishes: [...scenario.wishes, ...counting],
  };
}

/** The same, made for trees of runs that are cancelled while workers that ask for child runs stop. */
export function treeScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed, { ...usualStyle, childWeight: 12 });
  const random = new Random(seed).stream('trees');
  const wishes = scenario.wishes.map((wish) => ({ ...wish, cancelAt: wish.at + random.int(0, 12_000) }));
  const faults = Array.from({ length: 5 }, (): Fault => {
    const at = random.int(500, scenario.healAt);
    const slot = random.int(0, scenario.workers - 1);
    return { at, kind: 'stop', slot, ms: random.int(6_000, 14_000) };
  });
  const rates: Rates = { ...noTrouble, quotaWaits: 0.5, childReadFails: random.pick([0, 0.05]) };
  return { ...scenario, wishes, rates, faults: faults.toSorted((a, b) => a.at - b.at) };
}

/** The same, made for agents whose calls are answered late, or not at all because something could not be read. */
export function agentScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed);
  const random = new Random(seed).stream('agents');
  const agents = Array.from({ length: 3 }, () => randomAgent(random, scenario.healAt));
  const rates: Rates = {
    ...noTrouble,
    readFails: random.pick([0.01, 0.05]),
    largeAnswers: random.pick([0, 0.3]),
    valueReadFails: 0.05,
    hintLost: random.pick([0, 0.2]),
  };
  return { ...scenario, wishes: scenario.wishes.slice(0, 1), agents, rates, faults: scenario.faults.slice(0, 3) };
}

/**
 * The same, with a database that goes back in time. Without child runs and clients that repeat a call: a run that is lost
 * as a whole is asked for again as another one, which makes its own writes.
 */
export function rewindScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed, { ...usualStyle, childWeight: 0, queueing: 0 });
  const random = new Random(seed).stream('backups');
  const at = random.int(1_000, scenario.healAt - 1_000);
  const goBack: Fault = { at, kind: 'goBack', lostMs: random.int(100, 5_000), ms: random.int(200, 3_000) };
  const faults = [...scenario.faults.slice(0, 2), goBack].toSorted((a, b) => a.at - b.at);
  return { ...scenario, agents: [], faults };
}

/** The same, made for runs that begin where they are accepted, by clients that ask twice. */
export function homeScenarioOf(seed: string): Scenario {
  const scenario = scenarioOf(seed, { ...usualStyle, reading: 0.9 });
  const random = new Random(seed).stream('home');
  const rates: Rates = {
    ...noTrouble,
    appendUnheard: random.pick([0.05, 0.2]),
    appendLate: random.pick([0.05, 0.2]),
    appendLost: random.pick([0, 0.05]),
  };
  return { ...scenario, areServers: true, orchestrators: 1, rates, faults: scenario.faults.slice(0, 3) };
}

/** Most are random; every fourth is about workers that are taken for dead, every eighth about values, agents or a database that goes back in time. */
export function numberedScenario(seed: number): Scenario {
  const kinds = [scenarioOf, treeScenarioOf, stateScenarioOf, zombieScenarioOf];
  const others = [agentScenarioOf, valueScenarioOf, rewindScenarioOf, zombieScenarioOf];
  const make = [...kinds, ...others][seed % 8] ?? scenarioOf;
  return make(`seed ${seed}`);
}

type Size = Pick<Scenario, 'workers' | 'orchestrators' | 'healAt'>;

const randomAgent = (random: Random, healAt: number): AgentPlan => ({
  at: random.int(0, healAt / 3),
  calls: random.int(1, 5),
});

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
