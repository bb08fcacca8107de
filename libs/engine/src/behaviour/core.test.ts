/** What each verb and each policy does, by the ledger of the servers. */
import { answer, behaves, cancel, signal } from '@baton/testing';
import { describe } from 'vitest';

const failed = { fails: 'tool-failed' } as const;
const late = { fails: 'timeout', delivery: 'unknown' } as const;
const unsent = { fails: 'server-unreachable', delivery: 'unsent' } as const;

describe('order', () => {
  behaves({
    'steps run top to bottom': {
      file: 'steps: [{ tool: s/a }, { tool: s/b }, { tool: s/c }]',
      ledger: ['s/a', 's/b', 's/c'],
    },
    'the first failure ends the run': {
      file: 'steps: [{ tool: s/a }, { tool: s/b }]',
      servers: { 's/a': failed },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
    'a step whose `if` is false is skipped': {
      file: 'steps: [{ id: a, if: 1 > 2, tool: s/a }, { tool: s/b, with: { s: "${{ steps.a.status }}" } }]',
      ledger: ['s/b {"s":"skipped"}'],
    },
    'an ignored failure lets the next step run': {
      file: 'steps: [{ tool: s/a, onError: ignore }, { tool: s/b }]',
      servers: { 's/a': failed },
      ledger: ['s/a', 's/b'],
    },
    'a handler sees the error': {
      file: 'steps: [{ id: a, tool: s/a, onError: [{ tool: s/h, with: { c: "${{ error.code }}", s: "${{ error.step }}" } }] }]',
      servers: { 's/a': failed },
      ledger: ['s/a', 's/h {"c":"tool-failed","s":"a"}'],
    },
    'handlers are chosen by code, the first that matches': {
      file: 'steps: [{ tool: s/a, onError: [{ match: [timeout], steps: [{ tool: s/t }] }, { steps: [{ tool: s/any }] }] }]',
      servers: { 's/a': failed },
      ledger: ['s/a', 's/any'],
    },
    'a handler without steps ignores the failure': {
      file: 'steps: [{ tool: s/a, onError: { match: [tool-failed], steps: [] } }, { tool: s/b }]',
      servers: { 's/a': failed },
      ledger: ['s/a', 's/b'],
    },
    'a failure that no handler matches goes on': {
      file: 'steps: [{ tool: s/a, onError: { match: [timeout], steps: [] } }, { tool: s/b }]',
      servers: { 's/a': failed },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
    '`fail` inside a handled block is handled': {
      file: 'steps: [{ switch: [{ else: [{ fail: no, code: mine }] }], onError: [{ tool: s/h, with: { c: "${{ error.code }}" } }] }]',
      ledger: ['s/h {"c":"mine"}'],
    },
    'a key whose value is none is left out': {
      file: 'inputs: { n: { type: string, optional: true } }\nsteps: [{ tool: s/a, with: { n: "${{ inputs.?n }}", m: "${{ null }}" } }]',
      ledger: ['s/a {"m":null}'],
    },
  });
});

describe('the end of a run', () => {
  behaves({
    'undoes what was done, the last step first': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }, { tool: s/b, undo: { tool: s/ub } }, { fail: no }]',
      ends: 'workflow-failed',
      ledger: ['s/a', 's/b', 's/ub', 's/ua'],
    },
    'undoes before `onFailure`, and that before `finally`': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }, { fail: no }]\nonFailure: [{ tool: s/f }]\nfinally: [{ tool: s/l }]',
      ends: 'workflow-failed',
      ledger: ['s/a', 's/ua', 's/f', 's/l'],
    },
    'an undo that fails keeps no other from running': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }, { tool: s/b, undo: { tool: s/ub } }, { fail: no }]',
      servers: { 's/ub': failed },
      ends: 'workflow-failed',
      ledger: ['s/a', 's/b', 's/ub', 's/ua'],
    },
    'a failure that was handled undoes nothing': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }, { tool: s/b, onError: ignore }]',
      servers: { 's/b': failed },
      ledger: ['s/a', 's/b'],
    },
    'a step of `finally` that fails, fails a run that had succeeded, and undoes nothing': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }]\nfinally: [{ tool: s/l }, { tool: s/never }]',
      servers: { 's/l': failed },
      ends: 'tool-failed',
      ledger: ['s/a', 's/l'],
    },
    '`error` in `finally` is null where nothing failed': {
      file: 'steps: [{ tool: s/a }]\nfinally: [{ tool: s/l, with: { ok: "${{ error == null }}" } }]',
      ledger: ['s/a', 's/l {"ok":true}'],
    },
    'a cancelled run is undone, and `finally` sees it': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }, { wait: 1h }]\nfinally: [{ tool: s/l, with: { c: "${{ error.code }}" } }]',
      outside: { 1: cancel },
      ends: 'cancelled',
      ledger: ['s/a', 's/ua', 's/l {"c":"cancelled"}'],
    },
    'outputs that cannot be computed fail the run, which is undone': {
      file: 'steps: [{ id: a, tool: s/a, undo: { tool: s/ua } }]\noutputs: { x: "${{ steps.a.output.n }}" }',
      ends: 'expression-failed',
      ledger: ['s/a', 's/ua'],
    },
    'a run that takes too long is stopped': {
      file: 'timeout: 5s\nsteps: [{ tool: s/a }, { wait: 1h }, { tool: s/b }]',
      ends: 'run-timed-out',
      ledger: ['s/a'],
    },
    'a run that spends too much is stopped': {
      file: 'budget: { toolCalls: 2 }\nsteps: [{ tool: s/a }, { tool: s/b }, { tool: s/c }]',
      ends: 'budget-exceeded',
      ledger: ['s/a', 's/b'],
    },
  });
});

describe('calls', () => {
  const once = (more: string): string => `steps: [{ tool: s/a, ${more} }]`;
  behaves({
    'a read is tried again after a transient failure': {
      file: once('effect: read'),
      servers: { 's/a': [late, { gives: 1 }] },
      ledger: ['s/a', 's/a'],
    },
    'three attempts are made, unless more are asked for': {
      file: once('effect: read'),
      servers: { 's/a': unsent },
      ends: 'server-unreachable',
      ledger: ['s/a', 's/a', 's/a'],
    },
    'a write that was not sent is tried again': {
      file: once('effect: write'),
      servers: { 's/a': [unsent, { gives: 1 }] },
      ledger: ['s/a', 's/a'],
    },
    'a write whose answer is lost is not made again': {
      file: once('effect: write'),
      servers: { 's/a': late },
      ends: 'outcome-unknown',
      ledger: ['s/a'],
    },
    'with `ifUnknown: retry` it is': {
      file: once('effect: write, ifUnknown: retry'),
      servers: { 's/a': [late, { gives: 1 }] },
      ledger: ['s/a', 's/a'],
    },
    'with `ifUnknown: check` it is not, where the check says that it happened': {
      file: once('effect: write, ifUnknown: check, check: { tool: s/find, happened: result.output.found }'),
      servers: { 's/a': late, 's/find': { gives: { found: true } } },
      ledger: ['s/a', 's/find'],
    },
    'and is made again where it says that it did not': {
      file: once('effect: write, ifUnknown: check, check: { tool: s/find, happened: result.output.found }'),
      servers: { 's/a': [late, { gives: 1 }], 's/find': { gives: { found: false } } },
      ledger: ['s/a', 's/find', 's/a'],
    },
    'with `ifUnknown: ask` a person decides': {
      file: once('effect: write, ifUnknown: ask'),
      servers: { 's/a': late },
      outside: { 1: answer('tool-1', { happened: true }), 2: answer('tool-1', { happened: true }) },
      ledger: ['s/a'],
    },
    'a read is made again when its worker died': {
      file: once('effect: read'),
      servers: { 's/a': ['worker dies', { gives: 1 }] },
      ledger: ['s/a', 's/a'],
    },
    'a write is not': {
      file: once('effect: write'),
      servers: { 's/a': ['worker dies', { gives: 1 }] },
      ends: 'outcome-unknown',
      ledger: ['s/a'],
    },
    'what a tool reports itself is final': {
      file: once('effect: read'),
      servers: { 's/a': failed },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
    'unless `retry.on` names it': {
      file: once('effect: read, retry: { on: [tool-failed], attempts: 2 }'),
      servers: { 's/a': failed },
      ends: 'tool-failed',
      ledger: ['s/a', 's/a'],
    },
    '`failIf` makes an answer a failure, and a write is not made again': {
      file: once('effect: write, failIf: has(result.output.error)'),
      servers: { 's/a': { gives: { error: 1 } } },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
  });
});

describe('loops and choices', () => {
  behaves({
    'an empty list is no special case': {
      file: 'steps: [{ id: e, forEach: [], steps: [{ tool: s/a }] }, { tool: s/b, with: { n: "${{ steps.e.count }}" } }]',
      ledger: ['s/b {"n":0}'],
    },
    'a failed item stops the others': {
      file: 'steps: [{ forEach: [1, 2, 3], maxParallel: 1, steps: [{ tool: s/a }] }]',
      servers: { 's/a': [{ gives: 1 }, failed] },
      ends: 'tool-failed',
      ledger: ['s/a', 's/a'],
    },
    'with `onItemError: collect` it does not': {
      file: 'steps: [{ id: e, forEach: [1, 2, 3], maxParallel: 1, onItemError: collect, collect: "${{ item }}", steps: [{ id: a, tool: s/a }] }]\noutputs: { all: "${{ steps.e.output.map(o, type(o) == map) }}" }',
      servers: { 's/a': [{ gives: 1 }, failed, { gives: 1 }] },
      outputs: { all: [false, true, false] },
      ledger: ['s/a', 's/a', 's/a'],
    },
    'items are undone from the last': {
      file: 'steps: [{ forEach: [1, 2], maxParallel: 1, steps: [{ tool: s/a, undo: { tool: s/u, with: { i: "${{ item }}" } } }] }, { fail: no }]',
      ends: 'workflow-failed',
      ledger: ['s/a', 's/a', 's/u {"i":2}', 's/u {"i":1}'],
    },
    '`repeat` ends when `until` holds': {
      file: 'steps: [{ repeat: { max: 5, until: steps.a.output.done, steps: [{ id: a, tool: s/a, with: { i: "${{ index }}" } }] } }]',
      servers: { 's/a': [{ gives: { done: false } }, { gives: { done: true } }] },
      ledger: ['s/a {"i":0}', 's/a {"i":1}'],
    },
    '`repeat` fails where it never does': {
      file: 'steps: [{ repeat: { max: 2, until: "false", steps: [{ tool: s/a }] } }]',
      ends: 'repeat-exhausted',
      ledger: ['s/a', 's/a'],
    },
    '`while` is looked at before each round': {
      file: 'steps: [{ repeat: { max: 5, while: index < 2, steps: [{ tool: s/a }] } }]',
      ledger: ['s/a', 's/a'],
    },
    'the first case that holds is taken': {
      file: 'steps: [{ switch: [{ when: 1 > 2, steps: [{ tool: s/a }] }, { when: run.version == 1, steps: [{ tool: s/b }] }, { else: [{ tool: s/c }] }] }]',
      ledger: ['s/b'],
    },
    'no case is fine': {
      file: 'steps: [{ switch: [{ when: run.id == "", steps: [{ tool: s/a }] }] }, { tool: s/b }]',
      ledger: ['s/b'],
    },
    '`parallel` starts together, `needs` orders': {
      file: 'steps: [{ parallel: [{ id: a, tool: s/a }, { id: b, tool: s/b, needs: [c] }, { id: c, tool: s/c }] }]',
      ledger: ['s/a', 's/c', 's/b'],
    },
    'a failure in `parallel` stops the others': {
      file: 'steps: [{ parallel: [{ tool: s/a, effect: read }, { tool: s/b }] }, { tool: s/c }]',
      servers: { 's/a': 'hangs', 's/b': failed },
      ends: 'tool-failed',
      ledger: ['s/a', 's/b'],
    },
    '`maxParallel` holds': {
      file: 'steps: [{ maxParallel: 1, parallel: [{ tool: s/a }, { tool: s/b }] }]',
      servers: { 's/a': failed },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
  });
});

describe('waiting', () => {
  behaves({
    'a question gives its answer': {
      file: 'steps: [{ id: q, ask: May I? }, { if: steps.q.output.approve, tool: s/a }]',
      outside: { 0: answer('q', { approve: true }) },
      ledger: ['s/a'],
    },
    'a question that expires fails, or takes `onExpire`': {
      file: 'steps: [{ ask: A?, expires: 1h, onExpire: { approve: false } }, { ask: B?, expires: 1h }]',
      ends: 'question-expired',
      ledger: [],
    },
    'a signal that came before is taken': {
      file: 'steps: [{ tool: s/a }, { id: w, wait: { signal: go } }, { tool: s/b, with: { n: "${{ steps.w.output }}" } }]',
      outside: { 0: signal('go', 3) },
      ledger: ['s/a', 's/b {"n":3}'],
    },
    'a signal is used up': {
      file: 'steps: [{ wait: { signal: go } }, { wait: { signal: go, timeout: 1h } }]',
      outside: { 0: signal('go') },
      ends: 'wait-expired',
      ledger: [],
    },
    'a signal that does not match is left for another': {
      file: 'steps: [{ wait: { signal: go, match: signal > 1, timeout: 1h }, onError: ignore }, { id: w, wait: { signal: go } }]\noutputs: { w: "${{ steps.w.output }}" }',
      outside: { 0: signal('go', 1) },
      outputs: { w: 1 },
      ledger: [],
    },
    'a signal that `match` cannot read is left for another': {
      file: 'steps: [{ wait: { signal: go, match: signal.n > 1, timeout: 1h }, onError: ignore }, { id: w, wait: { signal: go } }]\noutputs: { w: "${{ steps.w.output }}" }',
      outside: { 0: signal('go', 'text') },
      outputs: { w: 'text' },
      ledger: [],
    },
    'a signal that fits is taken after one that `match` cannot read': {
      file: 'steps: [{ id: w, wait: { signal: go, match: signal.n > 1 } }]\noutputs: { w: "${{ steps.w.output.n }}" }',
      outside: { 0: signal('go', 'text'), 1: signal('go', { n: 2 }) },
      outputs: { w: 2 },
      ledger: [],
    },
    'a child run gives its outputs': {
      file: 'steps: [{ id: c, workflow: other, with: { n: 1 } }, { tool: s/a, with: { k: "${{ steps.c.output.k }}" } }]',
      child: () => ({ k: 5 }),
      ledger: ['s/a {"k":5}'],
    },
    'a child run that fails names the root first': {
      file: 'steps: [{ workflow: other }]',
      child: () => ({ status: 'failed', failure: { code: 'timeout', message: 'Late.' } }),
      ends: 'child-failed',
      ledger: [],
    },
    'a child run that takes too long is cancelled': {
      file: 'steps: [{ workflow: other, timeout: 5s }]',
      childrenHang: true,
      ends: 'step-timed-out',
      ledger: [],
    },
  });
});
