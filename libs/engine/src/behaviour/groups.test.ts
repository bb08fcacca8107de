/** `steps`: groups. */
import { behaves, cancel } from '@baton/testing';
import { describe } from 'vitest';

describe('a group', () => {
  behaves({
    'runs its steps, which are seen outside as if they stood there': {
      file: `steps:
  - steps:
      - { id: a, tool: s/a }
      - { id: b, tool: s/b, with: { of: "\${{ steps.a.output.n }}" } }
  - tool: s/c
    with: { of: "\${{ steps.b.output.n }}" }
`,
      servers: { 's/a': { gives: { n: 1 } }, 's/b': { gives: { n: 2 } } },
      ledger: ['s/a', 's/b {"of":1}', 's/c {"of":2}'],
    },
    'is skipped as a whole where its `if` is false': {
      file: `steps:
  - { id: g, if: 1 > 2, steps: [{ id: a, tool: s/a }], finally: [{ tool: s/free }] }
outputs: { g: "\${{ steps.g.status }}", a: "\${{ steps.?a.hasValue() }}" }
`,
      outputs: { g: 'skipped', a: false },
      ledger: [],
    },
    'hands a failure inside to its `onError`, which sees what ran': {
      file: `steps:
  - steps: [{ id: a, tool: s/a }, { id: b, tool: s/b }, { tool: s/never }]
    onError: [{ tool: s/mend, with: { a: "\${{ steps.?a.?output.?n }}", at: "\${{ error.step }}" } }]
  - tool: s/after
`,
      servers: { 's/a': { gives: { n: 1 } }, 's/b': { fails: 'tool-failed' } },
      ledger: ['s/a', 's/b', 's/mend {"a":1,"at":"b"}', 's/after'],
    },
    'fails the run where nothing takes its failure': {
      file: 'steps: [{ steps: [{ tool: s/a }, { tool: s/b }] }, { tool: s/c }]',
      servers: { 's/a': { fails: 'tool-failed' } },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
    'lets its failure be ignored': {
      file: `steps: [{ id: g, onError: ignore, steps: [{ tool: s/a }, { tool: s/b }] }, { tool: s/c }]
outputs: { g: "\${{ steps.g.status }}", code: "\${{ steps.g.error.code }}" }
`,
      servers: { 's/a': { fails: 'tool-failed' } },
      outputs: { g: 'failed', code: 'tool-failed' },
      ledger: ['s/a', 's/c'],
    },
    'chooses among handlers by code': {
      file: `steps:
  - steps: [{ tool: s/a }]
    onError: [{ match: [timeout], steps: [{ tool: s/late }] }, { match: [tool-failed], steps: [{ tool: s/mend }] }]
`,
      servers: { 's/a': { fails: 'tool-failed' } },
      ledger: ['s/a', 's/mend'],
    },
    'that takes too long is stopped, and fails': {
      file: 'steps: [{ id: g, timeout: 5s, steps: [{ tool: s/a, effect: read }, { tool: s/b }], onError: [{ tool: s/mend, with: { e: "${{ error.code }}" } }] }]',
      servers: { 's/a': 'hangs' },
      ledger: ['s/a', 's/mend {"e":"step-timed-out"}'],
    },
    'is held to its budget': {
      file: 'steps: [{ budget: { toolCalls: 1 }, steps: [{ tool: s/a }, { tool: s/b }, { tool: s/c }] }]',
      ends: 'budget-exceeded',
      ledger: ['s/a'],
    },
    'is undone when the run fails later: its own undo first, then those inside it, last first': {
      file: `steps:
  - undo: { tool: s/undo-group, with: { a: "\${{ steps.a.output.n }}" } }
    steps: [{ id: a, tool: s/a, undo: { tool: s/undo-a } }, { tool: s/b, undo: { tool: s/undo-b } }]
  - fail: no
`,
      servers: { 's/a': { gives: { n: 7 } } },
      ends: 'workflow-failed',
      ledger: ['s/a', 's/b', 's/undo-group {"a":7}', 's/undo-b', 's/undo-a'],
    },
    'undoes what ran inside it where it fails itself': {
      file: 'steps: [{ undo: { tool: s/undo-group }, steps: [{ tool: s/a, undo: { tool: s/undo-a } }, { fail: no }] }]',
      ends: 'workflow-failed',
      ledger: ['s/a', 's/undo-a'],
    },
    'inside a `forEach` belongs to its item': {
      file: `steps:
  - id: each
    forEach: [1, 2]
    maxParallel: 1
    steps: [{ steps: [{ id: a, tool: s/a, with: { n: "\${{ item }}" } }], finally: [{ tool: s/free, with: { n: "\${{ index }}" } }] }]
    collect: "\${{ steps.a.output.ok }}"
outputs: { all: "\${{ steps.each.output }}" }
`,
      servers: { 's/a': [{ gives: { ok: 1 } }, { gives: { ok: 2 } }] },
      outputs: { all: [1, 2] },
      ledger: ['s/a {"n":1}', 's/free {"n":0}', 's/a {"n":2}', 's/free {"n":1}'],
    },
    'inside a group is a group': {
      file: `steps:
  - steps:
      - { steps: [{ id: a, tool: s/a }], finally: [{ tool: s/inner }] }
      - { tool: s/b, with: { a: "\${{ steps.a.output.n }}" } }
    finally: [{ tool: s/outer }]
`,
      servers: { 's/a': { gives: { n: 1 } } },
      ledger: ['s/a', 's/inner', 's/b {"a":1}', 's/outer'],
    },
    'waits beside others in a `parallel`, and may need one of them': {
      file: `steps:
  - parallel:
      - { id: one, tool: s/one }
      - { id: two, needs: [one], steps: [{ tool: s/two }, { tool: s/three }] }
      - { needs: [two], tool: s/four }
`,
      ledger: ['s/one', 's/two', 's/three', 's/four'],
    },
  });
});

describe('the `finally` of a group', () => {
  const group = (more: string): string => `steps:
  - id: g
    steps: [{ id: a, tool: s/a }, { id: b, tool: s/b }]
    finally: [{ tool: s/free, with: { a: "\${{ steps.?a.?output.?n }}", e: "\${{ error.?code }}" } }]
${more}`;
  const guarded = group('').replace('error.?code', "error == null ? 'none' : error.code");

  behaves({
    'runs when its steps have succeeded': {
      file: `${guarded}  - tool: s/after\n`,
      servers: { 's/a': { gives: { n: 1 } } },
      ledger: ['s/a', 's/b', 's/free {"a":1,"e":"none"}', 's/after'],
    },
    'runs when one has failed, before the run ends': {
      file: `${guarded}finally: [{ tool: s/last }]\n`,
      servers: { 's/a': { gives: { n: 1 } }, 's/b': { fails: 'tool-failed' } },
      ends: 'tool-failed',
      ledger: ['s/a', 's/b', 's/free {"a":1,"e":"tool-failed"}', 's/last'],
    },
    'runs after the handler': {
      file: `${guarded}    onError: [{ tool: s/mend }]\n  - tool: s/after\n`,
      servers: { 's/a': { fails: 'tool-failed' } },
      ledger: ['s/a', 's/mend', 's/free {"e":"tool-failed"}', 's/after'],
    },
    'runs after a handler that fails': {
      file: `${guarded}    onError: [{ fail: worse, code: worse }]\n`,
      servers: { 's/a': { fails: 'tool-failed' } },
      ends: 'worse',
      ledger: ['s/a', 's/free {"e":"tool-failed"}'],
    },
    'runs when the group took too long': {
      file: `${guarded}    timeout: 3s\n    onError: ignore\n`,
      servers: { 's/b': 'hangs' },
      ledger: ['s/a', 's/b', 's/free {"e":"step-timed-out"}'],
    },
    'runs when the run is cancelled, and nothing after it': {
      file: `${guarded}  - tool: s/after\nfinally: [{ tool: s/last }]\n`,
      servers: { 's/a': { gives: {}, takesMs: 5000 } },
      outside: { 0: cancel },
      ends: 'cancelled',
      ledger: ['s/a', 's/free {"e":"cancelled"}', 's/last'],
    },
    'that fails, fails a group that had succeeded': {
      file: `${guarded}  - tool: s/after\n`,
      servers: { 's/free': { fails: 'tool-failed' } },
      ends: 'tool-failed',
      ledger: ['s/a', 's/b', 's/free {"e":"none"}'],
    },
    'that fails, changes nothing where the steps had failed and were handled': {
      file: `${guarded}    onError: [{ tool: s/mend }]\n  - tool: s/after\n`,
      servers: { 's/a': { fails: 'timeout', delivery: 'unsent' }, 's/free': { fails: 'tool-failed' } },
      ledger: ['s/a', 's/a', 's/a', 's/mend', 's/free {"e":"timeout"}', 's/after'],
    },
    'is not undone': {
      file: 'steps: [{ steps: [{ tool: s/a, undo: { tool: s/undo-a } }], finally: [{ tool: s/free, undo: { tool: s/undo-free } }] }, { fail: no }]',
      ends: 'workflow-failed',
      ledger: ['s/a', 's/free', 's/undo-a'],
    },
    'is done once, though the worker dies in it': {
      file: 'steps: [{ steps: [{ tool: s/a }], finally: [{ tool: s/free, effect: idempotent }] }, { tool: s/after }]',
      servers: { 's/free': ['worker dies', { gives: {} }] },
      ledger: ['s/a', 's/free', 's/free', 's/after'],
    },
  });
});
