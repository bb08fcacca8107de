import { expect, test } from 'vitest';

import { startersOf } from './startersOf.ts';

test('The command says in words what starts a workflow, and says nothing where this version cannot read its text.', () => {
  expect(startersOf('workflow: brief\non: [tool: {}]\nsteps: [set: { done: true }]\n')).toEqual([
    'MCP clients, for which it is a tool',
  ]);
  expect(startersOf('steps: nothing that can be read')).toBeUndefined();
});
