import { expect, test } from 'vitest';

import { collectGarbage, IdleMemory } from './idleMemory.ts';

/** How often it has collected after each interval. `used`: milliseconds of processor time in each. */
async function collections(used: readonly number[]): Promise<number[]> {
  let cpuMs = 0;
  let collected = 0;
  const memory = new IdleMemory({
    usedCpuMs: () => cpuMs,
    collect: () => {
      collected += 1;
      cpuMs += 1_000;
    },
  });
  const counts = used.map((one) => {
    cpuMs += one;
    memory.check();
    return collected;
  });
  await memory.close();
  return counts;
}

test('a process collects once after its start, when it has been idle for a while', async () => {
  expect(await collections([2_000, 50, 50, 50, 50])).toEqual([0, 0, 1, 1, 1]);
});

test('it collects again after it has worked', async () => {
  expect(await collections([50, 50, 2_000, 50, 2_000, 50, 50, 50])).toEqual([0, 1, 1, 1, 1, 1, 2, 2]);
});

test('light work is not held up', async () => {
  expect(await collections([50, 50, 300, 300, 50, 50, 50])).toEqual([0, 1, 1, 1, 1, 1, 1]);
  expect(await collections([2_000, 300, 50, 300, 50, 300])).toEqual([0, 0, 0, 0, 0, 0]);
});

test('a collection frees what nothing refers to', async () => {
  const collect = collectGarbage();
  const refer = (): WeakRef<object> => new WeakRef({ some: 'object' });
  const reference = refer();
  // What a job has seen stays until it ends.
  await new Promise(setImmediate);
  collect();
  expect(reference.deref()).toBeUndefined();
});
