import { test } from 'vitest';
import { scenarioOf } from './scenario.ts';
import { simulate } from './simulate.ts';
test('x', async () => {
  const s = scenarioOf(`s${process.env['SEED']}`);
  console.log(JSON.stringify(s));
  const { broken, story } = await simulate(s);
  console.log(broken.join('\n'), '\n', story());
});
