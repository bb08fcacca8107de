/**
 * Goal: no caller starves beside others with thousands of runs: a run of a caller with few begins within seconds, and within
 * 300 ms where messages arrive; beside several such callers once each had its turn.
 * Method: histories in virtual time with the production poll, crowding and offers (`fairness.ts`), on a model of the
 * statement that `libs/store/src/sharing/fairShare.int.test.ts` compares with Postgres. Each safeguard is switched off in turn.
 */
import { expect, test } from 'vitest';

import { type FairnessSafeguard, fairnessSafeguards, playFairness } from './fairness.ts';

const seeds = Array.from({ length: 24 }, (_, seed) => `seed ${seed}`);

test('a run of a caller with few begins within seconds beside thousands of runs of others', async () => {
  const begun = { few: 0, many: 0 };
  for (const seed of seeds) {
    const outcome = await playFairness(seed);
    expect({ seed, late: outcome.late }).toEqual({ seed, late: [] });
    begun.few += outcome.begun.few;
    begun.many += outcome.begun.many;
  }
  // A simulation in which nothing happens would pass as well.
  expect(begun.few).toBeGreaterThan(10 * seeds.length);
  expect(begun.many).toBeGreaterThan(10 * seeds.length);
});

// Histories in which callers with many are offered to workers that have no slot for them.
test.each(['seed 30', 'seed 64', 'seed 72'])(
  'An offer costs a look at the runs that were offered since the last look at all runs, not at all before: %s',
  async (seed) => {
    const { offeredMax } = await playFairness(seed);
    expect(offeredMax).toBeGreaterThan(1);
    expect(offeredMax).toBeLessThan(40);
  },
);

const all = Object.entries(fairnessSafeguards).map(([name, does]) => ({ name: name as FairnessSafeguard, does }));

test.each(all)('it matters that $does', async ({ name }) => {
  for (const seed of seeds) if ((await playFairness(seed, [name])).late.length > 0) return;
  expect.fail(`no run was late without ${name}`);
});
