/**
 * Goal: with any fault between any two awaits, the promises of docs/operations.md hold.
 * Method: the production engine and runner in virtual time, on a journal in memory with the uniqueness rules of Postgres.
 * A seed stands for workflows, orders and faults (`scenario.ts`); a referee that reads only journal and ledger judges (`referee.ts`).
 *
 * BATON_SIM_SEEDS=100000  so many seeds. BATON_SIM_SEED=1207  that one alone, with its story. A seed that fails is shrunk.
 */
import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import type { Counts } from './referee.ts';
import { numberedScenario } from './scenario.ts';
import { declaredChecks, effects } from './servers.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { planOfDocument } from './workflows.ts';

const seeds = Number(process.env['BATON_SIM_SEEDS'] ?? 960);
const only = process.env['BATON_SIM_SEED'];

async function explain(seed: number, broken: readonly string[]): Promise<string> {
  const smallest = await shrink(numberedScenario(seed));
  const { story } = await simulate(smallest);
  return `seed ${seed} broke:\n${broken.join('\n')}\n\nshrunk to ${JSON.stringify(smallest)}\n\n${story()}`;
}

/** Sums what the histories saw. Throws at the first broken promise. */
async function playAll(numbers: readonly number[]): Promise<Partial<Counts>> {
  const sum: Partial<Counts> = {};
  for (const seed of numbers) {
    const { broken, counts } = await simulate(numberedScenario(seed));
    if (broken.length > 0) throw new Error(await explain(seed, broken));
    for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) {
      sum[name] = (sum[name] ?? 0) + count;
    }
  }
  return sum;
}

const timeout = 600_000 + seeds * 100;

test('histories among faults break no promise', { timeout }, async () => {
  if (only !== undefined) {
    await playAll([Number(only)]);
    process.stdout.write(`${(await simulate(numberedScenario(Number(only)))).story()}\n`);
    return;
  }
  const sum = await playAll(Array.from({ length: seeds }, (_, seed) => seed));
  // A simulation in which nothing happens would pass as well.
  const least = {
    succeeded: 2,
    failed: 0.1,
    cancelled: 0.05,
    takeovers: 0.2,
    unknown: 0.2,
    retried: 0.01,
    children: 0.2,
    calls: 4,
    large: 0.2,
    repeated: 0.1,
    ensured: 0.02,
    unread: 0.01,
    rewound: 0.02,
    begun: 0.3,
    remembered: 0.3,
    overtaken: 0.02,
  };
  const scarce = Object.entries(least).filter(([name, each]) => (sum[name as keyof Counts] ?? 0) < seeds * each);
  expect(scarce).toEqual([]);
});

test('a seed is the same history each time', async () => {
  const tell = async (): Promise<string> => (await simulate(numberedScenario(3))).story();
  expect(await tell()).toBe(await tell());
});

test('the workflows of the first seeds are valid, and the plans of their texts are the same', () => {
  const effectsOfTools = Object.fromEntries(Object.entries(effects).map(([tool, effect]) => [`s/${tool}`, effect]));
  const declared = Object.fromEntries(Object.entries(declaredChecks).map(([tool, check]) => [`s/${tool}`, { check }]));
  for (let seed = 0; seed < 50; seed++) {
    for (const document of numberedScenario(seed).documents)
      expect(JSON.stringify(planOfDocument(document))).toBe(
        JSON.stringify(planOf(JSON.stringify(document), effectsOfTools, {}, declared)),
      );
  }
});
