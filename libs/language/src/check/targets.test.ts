import { expect, test } from 'vitest';

import { outlineOf, parseWorkflow } from '../parseWorkflow.ts';
import { childrenOf, targetsOf } from './targets.ts';

test('what a workflow names of its servers is found wherever it stands', () => {
  const text = `
workflow: w
on:
  - resource: wiki
    uri: wiki://a
  - tool: {}
steps:
  - parallel:
      - { prompt: a/p, undo: { tool: b/undo } }
      - switch: [{ when: "true", steps: [{ resource: c, uri: "x://y" }] }]
  - tool: d/write
    ifUnknown: check
    check: { tool: d/find, happened: "true" }
    onError: [{ tool: e/tell/all }]
  - workflow: child@2
    onError: [{ workflow: other }]
finally:
  - tool: f/end
  - workflow: other
`;
  const { workflow } = parseWorkflow(text);
  const named = workflow && targetsOf(workflow).map(({ kind, server, name, pointer }) => [kind, server, name, pointer]);
  expect(named).toEqual([
    ['resource', 'wiki', undefined, '/on/0/resource'],
    ['prompt', 'a', 'p', '/steps/0/parallel/0/prompt'],
    ['tool', 'b', 'undo', '/steps/0/parallel/0/undo/tool'],
    ['resource', 'c', undefined, '/steps/0/parallel/1/switch/0/steps/0/resource'],
    ['tool', 'd', 'write', '/steps/1/tool'],
    ['tool', 'd', 'find', '/steps/1/check/tool'],
    ['tool', 'e', 'tell/all', '/steps/1/onError/0/tool'],
    ['tool', 'f', 'end', '/finally/0/tool'],
  ]);
  expect(workflow && childrenOf(workflow)).toEqual(['child@2', 'other']);
});

test('of a broken file, those in its intact parts and where it is plain what was meant', () => {
  const text = `workflow: w
steps:
  - tol: a/one
  - tool: { server: b, name: two }
  - tool: c/three
    retry: lots
  - workflow: other
`;
  expect(outlineOf(text)).toEqual({ workflow: 'w', servers: ['a', 'c'], children: ['other'] });
  expect(outlineOf('[]')).toBeUndefined();
});
