import { graph, readText } from '@baton/editor-service';
import { Trace, play } from '@baton/engine';
import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { keyInGraph, stepKeys } from './stepKeys.ts';

const read = (tool: string): string => `{ tool: ${tool}, effect: read, that: "true || result.text != ''" }`;

const text = `
workflow: w
steps:
  - { id: a, tool: s/a, ensure: [${read('s/r')}] }
  - { id: g, steps: [{ id: b, tool: s/b }], ensure: [${read('s/r')}] }
ensure: [${read('s/r')}, ${read('s/q')}]
`;

test('Each step of a run that ensures belongs to one node of its graph.', () => {
  const { nodes } = graph(readText(text));
  const keys = stepKeys(nodes);
  expect(new Set(keys.values()).size).toBe(nodes.length);
  const { journal } = play(planOf(text), {});
  const found = Trace.of(journal).steps.map(({ path }) => keyInGraph(path));
  expect(new Set(found)).toEqual(new Set(keys.values()));
});
