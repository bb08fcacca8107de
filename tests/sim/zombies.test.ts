/** Workers that are taken for dead and are not, and runs that take workers down: histories written by hand. */
import { expect, test } from 'vitest';

import { noTrouble } from './rates.ts';
import type { Counts } from './referee.ts';
import type { Fault, Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import type { Document } from './workflows.ts';

const key = (policy: string): string => ['$', `{{ run.id }}/a/${policy}/`].join('');

const one = (steps: Document['steps']): Document => ({ workflow: 'one', steps });

const scenario = (seed: string, more: Pick<Scenario, 'documents' | 'faults'>): Scenario => ({
  seed,
  wishes: [{ at: 0, workflow: 'one' }],
  agents: [],
  workers: 2,
  orchestrators: 1,
  areServers: false,
  rates: noTrouble,
  healAt: 60_000,
  ...more,
});

async function total(scenarios: readonly Scenario[]): Promise<Counts> {
  const all: Counts[] = [];
  for (const each of scenarios) {
    const { broken, counts } = await simulate(each);
    expect(broken).toEqual([]);
    all.push(counts);
  }
  return all.reduce((sum, counts) => {
    const names = Object.keys(sum) as (keyof Counts)[];
    return Object.fromEntries(names.map((name) => [name, sum[name] + counts[name]])) as unknown as Counts;
  });
}

const seeds = Array.from({ length: 60 }, (_, seed) => `seed ${seed}`);

/** The worker stops when its call is on the way, for longer than it takes to be given up. */
const stopped = (ms: number): Fault[] => [{ at: 120, kind: 'stop', slot: 0, ms }];

test('the answer that a worker had when it was stopped is adopted while no later event contradicts it', async () => {
  const steps = [{ id: 'a', tool: 's/pay', with: { key: key('ask') }, ifUnknown: 'ask' }];
  const counts = await total(seeds.map((seed) => scenario(seed, { documents: [one(steps)], faults: stopped(12_000) })));
  expect(counts.unknown).toBeGreaterThan(20);
  expect(counts.late).toBeGreaterThan(10);
  // The probes at the end count too.
  expect(counts.succeeded).toBe(2 * seeds.length);
});

test('it is not adopted where the run is over, and a second call is never made', async () => {
  const steps = [{ id: 'a', tool: 's/pay', with: { key: key('fail') } }];
  const counts = await total(seeds.map((seed) => scenario(seed, { documents: [one(steps)], faults: stopped(20_000) })));
  expect(counts.failed).toBe(counts.unknown);
  expect(counts.late).toBe(0);
});

test('a run that takes worker after worker down is set aside after three', async () => {
  const steps = [{ id: 'a', tool: 's/get', with: { key: key('fail') } }];
  const faults = Array.from({ length: 120 }, (_, n): Fault => {
    return { at: n * 500, kind: 'killAt', slot: n % 2, operations: 3, ms: 200 };
  });
  const counts = await total(seeds.slice(0, 40).map((seed) => scenario(seed, { documents: [one(steps)], faults })));
  expect(counts.poisonous).toBeGreaterThan(15);
});
