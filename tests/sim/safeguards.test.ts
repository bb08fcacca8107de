/**
 * Goal: the simulation notices when a safeguard is missing, so that a promise that is kept is kept for a reason.
 * Method: each safeguard is switched off in turn; some seed must break a promise.
 */
import { expect, test } from 'vitest';

import { type Safeguard, safeguards } from './safeguards.ts';
import {
  type Scenario,
  agentScenarioOf,
  homeScenarioOf,
  promiseScenarioOf,
  queueScenarioOf,
  rewindScenarioOf,
  scenarioOf,
  stateScenarioOf,
  treeScenarioOf,
  valueScenarioOf,
  zombieScenarioOf,
} from './scenario.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

/** Scenarios that are made for what the safeguard is of use against; for the others the random ones are enough. */
const scenarios: Partial<Readonly<Record<Safeguard, (seed: string) => Scenario>>> = {
  fence: zombieScenarioOf,
  monotonicFence: zombieScenarioOf,
  lastLook: zombieScenarioOf,
  confirmation: zombieScenarioOf,
  livingOwner: zombieScenarioOf,
  failedReads: valueScenarioOf,
  unsentCalls: valueScenarioOf,
  unsavedValues: valueScenarioOf,
  freeHeartbeat: queueScenarioOf,
  givenBack: agentScenarioOf,
  drivenParents: treeScenarioOf,
  storedFirst: homeScenarioOf,
  forgottenRuns: homeScenarioOf,
  ensured: promiseScenarioOf,
  rewound: rewindScenarioOf,
  comparedState: stateScenarioOf,
  stateWithEvents: stateScenarioOf,
};

const seedsMax = 2_000;

async function firstToFail(off: Safeguard): Promise<Scenario | undefined> {
  const make = scenarios[off] ?? scenarioOf;
  for (let seed = 0; seed < seedsMax; seed++) {
    const one = make(`seed ${seed}`);
    const { broken } = await simulate(one, [off]);
    if (broken.length > 0) return one;
  }
  return undefined;
}

const all = Object.entries(safeguards).map(([name, does]) => ({ name: name as Safeguard, does }));

test.each(all)('it matters that $does', async ({ name }) => {
  expect(await firstToFail(name)).toBeDefined();
});

test('a history that fails is shrunk to what is needed for it', async () => {
  const scenario = await firstToFail('honestDelivery');
  if (scenario === undefined) throw new Error('nothing failed');
  const smallest = await shrink(scenario, ['honestDelivery']);
  expect((await simulate(smallest, ['honestDelivery'])).broken).not.toEqual([]);
  expect(JSON.stringify(smallest).length).toBeLessThan(JSON.stringify(scenario).length);
  expect(smallest.faults.length).toBeLessThanOrEqual(1);
});
