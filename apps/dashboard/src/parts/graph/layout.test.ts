import { graph, readText } from '@baton/editor-service';
import { describe, expect, test } from 'vitest';

import { type PlacedNode, pictureOf } from './layout.ts';

/** A workflow with this many webhooks, and one step. */
const withTriggers = (count: number) => {
  const hooks = Array.from({ length: count }, (_, n) => `  - { webhook: hook-${n}, secret: HOOK }`);
  const text = ['workflow: many', 'on:', ...hooks, 'steps:', '  - { id: first, set: { a: 1 } }', ''].join('\n');
  return pictureOf(graph(readText(text, {})));
};

const areApart = (one: PlacedNode, other: PlacedNode): boolean =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y;

describe('the triggers of a workflow', () => {
  test.each([3, 4, 7])('are in rows of two where there are %d, and overlap nothing', (count) => {
    const { nodes, width, edges } = withTriggers(count);
    expect(nodes).toHaveLength(count + 1);
    expect(width).toBe(withTriggers(2).width);
    for (const one of nodes) for (const other of nodes) expect(one === other || areApart(one, other)).toBe(true);
    expect(edges).toHaveLength(count);
  });

  test('lead to the first step along the middle, where no trigger is', () => {
    const { nodes, edges } = withTriggers(3);
    const step = nodes.find(({ node }) => node.kind === 'set');
    const middle = (step?.x ?? 0) + (step?.width ?? 0) / 2;
    for (const { path } of edges) expect(path).toContain(`${middle} `);
    for (const { node, x, width } of nodes)
      expect(node.kind !== 'trigger' || x + width < middle || x > middle).toBe(true);
  });
});
