import { expect, test } from 'vitest';

import { workflowCounter } from './workflowCounter.ts';

test('ends of runs are counted under 200 names of deployed workflows, and all others under one', () => {
  const counted = new Map<string, number>();
  const count = workflowCounter(({ workflow }) => counted.set(workflow, (counted.get(workflow) ?? 0) + 1));
  const names = Array.from({ length: 300 }, (_, n) => `workflow-${n}`);
  for (const workflow of [...names, ...names]) count({ workflow, status: 'succeeded', isDeployed: true });
  for (let n = 0; n < 50; n += 1) count({ workflow: `made-up-${n}`, status: 'failed', isDeployed: false });
  expect(counted.size).toBe(201);
  expect(counted.get('workflow-199')).toBe(2);
  expect(counted.get('(others)')).toBe(250);
});
