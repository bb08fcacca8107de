import { describe, expect, test } from 'vitest';

import type { Finding } from '../finding.ts';
import { parseWorkflow } from '../parseWorkflow.ts';
import { checkServers } from './checkServers.ts';
import type { Offer } from './checkServers.ts';
import { targetsOf } from './targets.ts';

const servers = new Map<string, Offer>([
  ['web', { kind: 'known', tools: ['fetch', 'post'], prompts: ['report'] }],
  ['away', { kind: 'unreachable', reason: 'It exited with code 1.' }],
  ['other', { kind: 'unasked' }],
]);

function found(steps: string): readonly Finding[] {
  const text = `workflow: w\nsteps:\n${steps}`;
  const { workflow, findings } = parseWorkflow(text);
  if (workflow === undefined) throw new Error(findings[0]?.message);
  return checkServers(text, workflow, servers);
}

describe('what a workflow names of its servers', () => {
  test('is found wherever it stands', () => {
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
finally:
  - tool: f/end
`;
    const { workflow } = parseWorkflow(text);
    const named =
      workflow && targetsOf(workflow).map(({ kind, server, name, pointer }) => [kind, server, name, pointer]);
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
  });
});

describe('a workflow held against its servers', () => {
  test('that has all it names is fine', () => {
    expect(found('  - tool: web/fetch\n  - prompt: web/report\n  - resource: web\n    uri: "x://y"\n')).toEqual([]);
  });

  test('is told of a tool that is not there, where it is named, with the nearest one that is', () => {
    const [finding, ...others] = found('  - tool: web/fecth\n');
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      code: 'unknown-tool',
      severity: 'error',
      line: 3,
      column: 11,
      path: '/steps/0/tool',
    });
    expect(finding?.hint).toBe('did you mean "web/fetch"?');
    expect(finding?.frame).toContain('^^^^^^^^^');
  });

  test('does not take a prompt for a tool', () => {
    expect(found('  - prompt: web/fetch\n').map(({ code }) => code)).toEqual(['unknown-prompt']);
  });

  test('is told of a server that nobody configured', () => {
    expect(found('  - tool: wbe/fetch\n')).toMatchObject([
      { code: 'unknown-server', severity: 'error', hint: 'did you mean "web/fetch"?' },
    ]);
  });

  test('is warned once of a server that does not answer', () => {
    const findings = found('  - tool: away/a\n  - tool: away/b\n  - tool: other/c\n');
    expect(findings).toMatchObject([{ code: 'assumed', severity: 'warning', line: 3 }]);
    expect(findings[0]?.message).toContain('It exited with code 1.');
  });
});
