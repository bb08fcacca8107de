/**
 * Goal: beside many quick runs, or decisions about thousands of items, a small run of another caller takes at most four
 * times what it takes alone, and a decision gets its turn beside twenty of another caller.
 * Method: histories in virtual time with the production rules (`eventLoop.ts`). Each safeguard is switched off in turn.
 */
import { expect, test } from 'vitest';

import { type LoopSafeguard, loopSafeguards, playEventLoop } from './eventLoop.ts';

const seeds = Array.from({ length: 16 }, (_, seed) => `seed ${seed}`);

test('a small run stays quick beside many runs and long decisions of another caller in the same worker', async () => {
  const done = { small: 0, quick: 0, slices: 0 };
  for (const seed of seeds) {
    const outcome = await playEventLoop(seed);
    expect({ seed, late: outcome.late }).toEqual({ seed, late: [] });
    done.small += outcome.done.small;
    done.quick += outcome.done.quick;
    done.slices += outcome.done.slices;
  }
  // A simulation in which nothing happens would pass as well.
  expect(done.small).toBeGreaterThan(10 * seeds.length);
  expect(done.quick).toBeGreaterThan(10 * seeds.length);
  expect(done.slices).toBeGreaterThan(10 * seeds.length);
});

const all = Object.entries(loopSafeguards).map(([name, does]) => ({ name: name as LoopSafeguard, does }));

test.each(all)('it matters in one event loop that $does', async ({ name }) => {
  for (const seed of seeds) if ((await playEventLoop(seed, [name])).late.length > 0) return;
  expect.fail(`no run was late without ${name}`);
});
