import { test } from 'vitest';
import { scenarioOf } from './scenario.ts';
import { simulate } from './simulate.ts';
test('x', async () => {
  const t = performance.now();
  const all: Record<string, number> = {};
  let bad = 0;
  const n = Number(process.env['N'] ?? 200);
  for (let i = 0; i < n && bad < 5; i++) {
    const { broken, counts } = await simulate(scenarioOf(`s${i}`));
    for (const [k, v] of Object.entries(counts)) all[k] = (all[k] ?? 0) + v;
    if (broken.length > 0) { bad++; console.log(i, broken.slice(0, 5)); }
  }
  console.log((performance.now() - t) / n, all);
});
