import { expect, test } from 'vitest';

import { startersOf } from './startersOf.ts';

test('What starts a workflow is told in words, unless this version cannot read its text.', () => {
  expect(startersOf('workflow: brief\non: [tool: {}]\nsteps: [set: { done: true }]\n')).toEqual([
    'MCP clients, for which it is a tool',
  ]);
  expect(startersOf('steps: nothing that can be read')).toBeUndefined();
});
