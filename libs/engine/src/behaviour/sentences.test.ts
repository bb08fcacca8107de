/** Sentences of docs/language.md about rounds, items, choices and ends, by the ledger of the servers. */
import { behaves, cancel, signal } from '@baton/testing';
import { describe } from 'vitest';

const failed = { fails: 'tool-failed' } as const;
const unsent = { fails: 'server-unreachable', delivery: 'unsent' } as const;
const late = { fails: 'timeout', delivery: 'unknown' } as const;

describe('rounds of a `repeat`', () => {
  behaves({
    'each reads the one before; the first has none': {
      file: `steps:
  - id: pages
    repeat:
      max: 5
      until: "!has(steps.page.output.next)"
      steps:
        - { id: page, tool: s/list, with: { from: "\${{ steps.pages.?steps.?page.?output.?next }}" } }
outputs: { rounds: "\${{ steps.pages.iterations }}" }`,
      servers: { 's/list': [{ gives: { next: 'b' } }, { gives: { next: 'c' } }, { gives: {} }] },
      outputs: { rounds: 3 },
      ledger: ['s/list', 's/list {"from":"b"}', 's/list {"from":"c"}'],
    },
    '`while` reads the round before': {
      file: `steps:
  - id: r
    repeat: { max: 5, while: "steps.r.?steps.?a.?output.?more.orValue(true)", steps: [{ id: a, tool: s/a }] }`,
      servers: { 's/a': [{ gives: { more: true } }, { gives: { more: false } }] },
      ledger: ['s/a', 's/a'],
    },
    'an exhausted one keeps its last round and their number': {
      file: `steps:
  - { id: r, onError: ignore, repeat: { max: 2, until: "false", steps: [{ id: a, tool: s/a }] } }
  - { tool: s/take, with: { best: "\${{ steps.r.?steps.?a.?output.?n }}", of: "\${{ steps.r.?iterations }}", s: "\${{ steps.r.status }}" } }`,
      servers: { 's/a': [{ gives: { n: 1 } }, { gives: { n: 2 } }] },
      ledger: ['s/a', 's/a', 's/take {"best":2,"of":2,"s":"failed"}'],
    },
    'its handler reads the last round too': {
      file: `steps:
  - id: r
    repeat: { max: 2, until: "false", steps: [{ id: a, tool: s/a }] }
    onError: [{ tool: s/h, with: { c: "\${{ error.code }}", n: "\${{ steps.r.?steps.?a.?output.?n }}" } }]`,
      servers: { 's/a': [{ gives: { n: 1 } }, { gives: { n: 2 } }] },
      ledger: ['s/a', 's/a', 's/h {"c":"repeat-exhausted","n":2}'],
    },
    'all of them are undone, the last first': {
      file: `steps:
  - repeat: { max: 2, while: index < 2, steps: [{ id: a, tool: s/a, undo: { tool: s/u, with: { n: "\${{ steps.a.output.n }}" } } }] }
  - fail: no`,
      servers: { 's/a': [{ gives: { n: 1 } }, { gives: { n: 2 } }] },
      ends: 'workflow-failed',
      ledger: ['s/a', 's/a', 's/u {"n":2}', 's/u {"n":1}'],
    },
    'a failure in one ends it': {
      file: 'steps: [{ repeat: { max: 5, steps: [{ tool: s/a }] } }]',
      servers: { 's/a': [{ gives: 1 }, failed] },
      ends: 'tool-failed',
      ledger: ['s/a', 's/a'],
    },
    '`every` is a pause between them, and their time counts for a `timeout`': {
      file: 'steps: [{ timeout: 90s, repeat: { max: 9, until: "false", every: 1m, steps: [{ tool: s/a }] } }]',
      ends: 'step-timed-out',
      ledger: ['s/a', 's/a'],
    },
  });
});

describe('items of a `forEach`', () => {
  behaves({
    'are read under their own names, one inside the other': {
      file: `steps:
  - forEach: [1, 2]
    as: a
    maxParallel: 1
    steps: [{ forEach: "\${{ [a * 10] }}", as: b, steps: [{ tool: s/x, with: { a: "\${{ a }}", b: "\${{ b }}" } }] }]`,
      ledger: ['s/x {"a":1,"b":10}', 's/x {"a":2,"b":20}'],
    },
    'may have a reserved word of CEL for a name': {
      file: 'steps: [{ forEach: [1], as: package, steps: [{ tool: s/x, with: { p: "${{ package }}" } }] }]',
      ledger: ['s/x {"p":1}'],
    },
    'count from 0': {
      file: 'steps: [{ forEach: [a, b], maxParallel: 1, steps: [{ tool: s/x, with: { i: "${{ index }}" } }] }]',
      ledger: ['s/x {"i":0}', 's/x {"i":1}'],
    },
    'are collected in their order, though the second comes first': {
      file: `steps:
  - { id: e, forEach: [1, 2], steps: [{ id: x, tool: s/x }], collect: "\${{ steps.x.output.n }}" }
outputs: { all: "\${{ steps.e.output }}" }`,
      servers: {
        's/x': [
          { gives: { n: 1 }, takesMs: 900 },
          { gives: { n: 2 }, takesMs: 5 },
        ],
      },
      outputs: { all: [1, 2] },
      ledger: ['s/x', 's/x'],
    },
    'that fail are collected with code, message and step': {
      file: `steps:
  - { id: e, forEach: [1], onItemError: collect, steps: [{ id: x, tool: s/x }], collect: 1 }
outputs: { all: "\${{ steps.e.output }}" }`,
      servers: { 's/x': failed },
      outputs: { all: [{ error: { code: 'tool-failed', message: 'No.', step: 'e/0/x' } }] },
      ledger: ['s/x'],
    },
    'leave out a key whose value is none, also in `collect`': {
      file: `steps:
  - { id: e, forEach: [{ n: 1 }, {}], steps: [{ set: {} }], collect: { n: "\${{ item.?n }}", z: "\${{ null }}" } }
outputs: { all: "\${{ steps.e.output }}" }`,
      outputs: { all: [{ n: 1, z: null }, { z: null }] },
      ledger: [],
    },
    'one of which fails by `fail` do not end the run, where they are collected': {
      file: `steps:
  - { forEach: [1, 2], maxParallel: 1, onItemError: collect, steps: [{ if: item == 1, fail: no }, { tool: s/x, with: { i: "\${{ item }}" } }] }`,
      ledger: ['s/x {"i":2}'],
    },
    'run eight at a time': {
      file: 'steps: [{ forEach: "${{ range(20) }}", timeout: 5s, steps: [{ tool: s/x, effect: read }] }]',
      servers: { 's/x': 'hangs' },
      ends: 'step-timed-out',
      ledger: Array.from({ length: 8 }, () => 's/x'),
    },
  });
});

describe('a key whose value is none', () => {
  const inputs = 'inputs: { a: { type: string, optional: true } }';
  behaves({
    'is left out of `set` and of `outputs`': {
      file: `${inputs}\nsteps: [{ id: s, set: { a: "\${{ inputs.?a }}", b: 1 } }]\noutputs: { s: "\${{ steps.s.output }}", a: "\${{ inputs.?a }}" }`,
      outputs: { s: { b: 1 } },
      ledger: [],
    },
    'is left out further inside': {
      file: `${inputs}\nsteps: [{ tool: s/a, with: { deep: { a: "\${{ inputs.?a }}", b: [1] } } }]`,
      ledger: ['s/a {"deep":{"b":[1]}}'],
    },
    'is given to a child run no more than to a tool': {
      file: `${inputs}\nsteps: [{ id: c, workflow: other, with: { a: "\${{ inputs.?a }}" } }, { tool: s/a, with: { k: "\${{ steps.c.output.keys }}" } }]`,
      child: (_, given) => ({ keys: Object.keys(given as object).length }),
      ledger: ['s/a {"k":0}'],
    },
    'is there where it has a value': {
      file: `${inputs}\nsteps: [{ tool: s/a, with: { a: "\${{ inputs.?a }}" } }]`,
      inputs: { a: '' },
      ledger: ['s/a {"a":""}'],
    },
  });
});

describe('names and values', () => {
  behaves({
    'ids may have hyphens': {
      file: `steps:
  - { id: may-fail, tool: s/a, onError: ignore }
  - { if: 'steps["may-fail"].status == "succeeded"', tool: s/b, with: { n: "\${{ steps['may-fail'].output.n }}" } }`,
      servers: { 's/a': { gives: { n: 1 } } },
      ledger: ['s/a', 's/b {"n":1}'],
    },
    'a value that is only an expression keeps its type, one inside a text becomes text': {
      file: `steps: [{ tool: s/a, with: { n: "\${{ 1 + 1 }}", l: "\${{ [1, true] }}", t: "is \${{ 1 + 1 }}", m: "\${{ {'a': null} }}" } }]`,
      ledger: ['s/a {"n":2,"l":[1,true],"t":"is 2","m":{"a":null}}'],
    },
    '`with` may be one expression': {
      file: 'steps: [{ id: a, set: { x: 1, y: b } }, { tool: s/a, with: "${{ steps.a.output }}" }]',
      ledger: ['s/a {"x":1,"y":"b"}'],
    },
    'the same list is sorted, cut and folded the same way each time': {
      file: `steps:
  - tool: s/a
    with:
      top: "\${{ [3, 1, 2].sortBy(n, -n).slice(0, 2) }}"
      sum: "\${{ [3, 1, 2].reduce(s, n, 0, s + n) }}"
      by: "\${{ ['a', 'bb', 'cc'].groupBy(t, string(size(t))) }}"
      both: "\${{ {'a': 1}.merge({'b': 2}) }}"
      round: "\${{ math.round(2.5) }}"
      padded: "\${{ '7'.padStart(3, '0') }}"`,
      ledger: [
        's/a {"top":[3,2],"sum":6,"by":{"1":["a"],"2":["bb","cc"]},"both":{"a":1,"b":2},"round":3,"padded":"007"}',
      ],
    },
  });
});

describe('retries by kind', () => {
  const once = (more: string): string => `steps: [{ tool: s/a, ${more} }]`;
  behaves({
    '`on` replaces the list: what it does not name is final': {
      file: once('effect: read, retry: { on: [tool-failed] }'),
      servers: { 's/a': unsent },
      ends: 'server-unreachable',
      ledger: ['s/a'],
    },
    '`on` makes no `write` be made again that was answered': {
      file: once('effect: write, retry: { on: [tool-failed] }'),
      servers: { 's/a': failed },
      ends: 'tool-failed',
      ledger: ['s/a'],
    },
    '`attempts: 1` turns them off': {
      file: once('effect: read, retry: { attempts: 1 }'),
      servers: { 's/a': unsent },
      ends: 'server-unreachable',
      ledger: ['s/a'],
    },
    '`defaults.retry` holds where a step says nothing': {
      file: `defaults: { retry: { attempts: 2 } }\n${once('effect: read')}`,
      servers: { 's/a': unsent },
      ends: 'server-unreachable',
      ledger: ['s/a', 's/a'],
    },
    'an `idempotent` call is made again though its answer was lost': {
      file: once('effect: idempotent'),
      servers: { 's/a': [late, { gives: 1 }] },
      ledger: ['s/a', 's/a'],
    },
    'a handler comes after the last attempt': {
      file: once('effect: read, retry: { attempts: 2 }, onError: [{ tool: s/h }]'),
      servers: { 's/a': unsent },
      ledger: ['s/a', 's/a', 's/h'],
    },
  });
});

describe('ends', () => {
  behaves({
    '`error.code` is `cancelled` in the `finally` of a cancelled run': {
      file: 'steps: [{ wait: 1h }]\nfinally: [{ tool: s/f, with: { c: "${{ error.code }}" } }]',
      outside: { 0: cancel },
      ends: 'cancelled',
      ledger: ['s/f {"c":"cancelled"}'],
    },
    '`onFailure` is not for a cancelled run': {
      file: 'steps: [{ wait: 1h }]\nonFailure: [{ tool: s/o }]\nfinally: [{ tool: s/f }]',
      outside: { 0: cancel },
      ends: 'cancelled',
      ledger: ['s/f'],
    },
    'after a step of `finally` that fails no other runs': {
      file: 'steps: [{ tool: s/a }]\nfinally: [{ tool: s/f }, { tool: s/g }]',
      servers: { 's/f': failed },
      ends: 'tool-failed',
      ledger: ['s/a', 's/f'],
    },
    'with `onError: ignore` the others do, and the run succeeds': {
      file: 'steps: [{ tool: s/a }]\nfinally: [{ tool: s/f, onError: ignore }, { tool: s/g }]',
      servers: { 's/f': failed },
      ledger: ['s/a', 's/f', 's/g'],
    },
    'a clean-up step asks whether there is something to clean up': {
      file: `steps: [{ id: m, tool: s/start }, { tool: s/x }]
finally: [{ if: has(steps.m), tool: s/stop, with: { id: "\${{ steps.m.output.id }}" } }, { if: error == null, tool: s/report }]`,
      servers: { 's/start': { gives: { id: 7 } }, 's/x': failed },
      ends: 'tool-failed',
      ledger: ['s/start', 's/x', 's/stop {"id":7}'],
    },
    'what is undone was done: a skipped and a failed step are not': {
      file: `steps:
  - { if: 1 > 2, tool: s/a, undo: { tool: s/ua } }
  - { tool: s/b, undo: { tool: s/ub }, onError: ignore }
  - { tool: s/c, undo: [{ tool: s/uc1 }, { tool: s/uc2 }] }
  - fail: no`,
      servers: { 's/b': failed },
      ends: 'workflow-failed',
      ledger: ['s/b', 's/c', 's/uc1', 's/uc2'],
    },
    '`fail` inside a `forEach` that collects lets the run go on, in a block with `onError` too': {
      file: 'steps: [{ steps: [{ fail: no, code: mine }], onError: { match: [mine], steps: [] } }, { tool: s/a }]',
      ledger: ['s/a'],
    },
    'a signal goes to all that wait for it, and is then gone': {
      file: `steps:
  - parallel: [{ wait: { signal: go } }, { wait: { signal: go } }]
  - tool: s/a
  - { wait: { signal: go, timeout: 1h }, onError: [{ tool: s/late, with: { c: "\${{ error.code }}" } }] }`,
      outside: { 0: signal('go') },
      ledger: ['s/a', 's/late {"c":"wait-expired"}'],
    },
    'what a block spends is held to its own budget': {
      file: 'steps: [{ steps: [{ tool: s/a }, { tool: s/b }], budget: { toolCalls: 1 }, onError: ignore }, { tool: s/c }]',
      ledger: ['s/a', 's/c'],
    },
    'a step whose answer was lost fails before its handler, which is told so': {
      file: 'steps: [{ tool: s/a, effect: write, onError: { match: [outcome-unknown], steps: [{ tool: s/look }] } }]',
      servers: { 's/a': late },
      ledger: ['s/a', 's/look'],
    },
  });
});
