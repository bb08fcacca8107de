/** Values that come by one of several ways: cases, handlers, races; and children that are not waited for. */
import { compile, parseWorkflow } from '@baton/language';
import { answer, behaves, cancel, signal } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { play } from '../play/play.ts';
import { rowOf } from '../state/row.ts';

describe('an id of several cases', () => {
  const file = `inputs: { n: { type: integer } }
steps:
  - switch:
      - { when: inputs.n == 1, steps: [{ id: v, tool: s/one, undo: { tool: s/undo-one } }] }
      - { when: inputs.n == 2, steps: [{ id: v, tool: s/two, undo: { tool: s/undo-two, with: { n: "\${{ steps.v.output.n }}" } } }] }
      - { else: [{ id: v, set: { output: { n: 0 } } }] }
`;
  const more = 'outputs: { n: "${{ steps.v.output.n }}" }';
  behaves({
    'is that of the first case': {
      file: file + more,
      inputs: { n: 1 },
      servers: { 's/one': { gives: { n: 11 } } },
      outputs: { n: 11 },
      ledger: ['s/one'],
    },
    'is that of the second': {
      file: file + more,
      inputs: { n: 2 },
      servers: { 's/two': { gives: { n: 22 } } },
      outputs: { n: 22 },
      ledger: ['s/two'],
    },
    'is undone as its own case says': {
      file: `${file}  - fail: no\n`,
      inputs: { n: 2 },
      servers: { 's/two': { gives: { n: 22 } } },
      ends: 'workflow-failed',
      ledger: ['s/two', 's/undo-two {"n":22}'],
    },
    'is handled as its own case says': {
      file: `inputs: { n: { type: integer } }
steps:
  - switch:
      - { when: inputs.n == 1, steps: [{ id: v, tool: s/one }] }
      - { else: [{ id: v, tool: s/two, onError: [{ tool: s/mend }] }] }
`,
      inputs: { n: 2 },
      servers: { 's/two': { fails: 'tool-failed' } },
      ledger: ['s/two', 's/mend'],
    },
    'may name steps with steps inside': {
      file: `inputs: { n: { type: integer } }
steps:
  - switch:
      - { when: inputs.n == 1, steps: [{ id: v, forEach: [1, 2], steps: [{ tool: s/one }] }] }
      - { else: [{ id: v, repeat: { max: 2, steps: [{ tool: s/two }] } }] }
`,
      inputs: { n: 2 },
      ledger: ['s/two', 's/two'],
    },
    'is known in nested choices': {
      file: `inputs: { n: { type: integer } }
steps:
  - switch:
      - when: inputs.n > 0
        steps: [{ switch: [{ when: inputs.n > 1, steps: [{ id: v, tool: s/big }] }, { else: [{ id: v, tool: s/small }] }] }]
      - else: [{ id: v, tool: s/none }]
  - tool: s/use
    with: { v: "\${{ steps.v.text }}" }
`,
      inputs: { n: 2 },
      servers: { 's/big': { gives: 'b' } },
      ledger: ['s/big', 's/use {"v":"\\"b\\""}'],
    },
  });
});

const guarded = `steps:
  - id: price
    tool: s/shop
    onError: [{ id: price, tool: s/other }]
  - tool: s/use
    with: { text: "\${{ steps.price.text }}" }
outputs: { status: "\${{ steps.price.status }}" }
`;

describe('a step and its handler with one id', () => {
  behaves({
    'give what the step gave': {
      file: guarded,
      servers: { 's/shop': { gives: 1 } },
      outputs: { status: 'succeeded' },
      ledger: ['s/shop', 's/use {"text":"1"}'],
    },
    'give what the handler gave, where the step failed': {
      file: guarded,
      servers: { 's/shop': { fails: 'tool-failed' }, 's/other': { gives: 2 } },
      outputs: { status: 'succeeded' },
      ledger: ['s/shop', 's/other', 's/use {"text":"2"}'],
    },
    'hand on through handlers of handlers': {
      file: `steps:
  - id: a
    tool: s/one
    onError: [{ id: a, tool: s/two, onError: [{ id: a, set: { text: three } }] }]
outputs: { text: "\${{ steps.a.text }}" }
`,
      servers: { 's/one': { fails: 'tool-failed' }, 's/two': { fails: 'tool-failed' } },
      outputs: { text: 'three' },
      ledger: ['s/one', 's/two'],
    },
    'are told apart inside the handler, where the step is the one that failed': {
      file: `steps:
  - id: a
    tool: s/one
    onError: [{ tool: s/note, with: { was: "\${{ steps.a.error.code }}" } }, { id: a, set: { text: two } }, { tool: s/note, with: { now: "\${{ steps.a.text }}" } }]
`,
      servers: { 's/one': { fails: 'tool-failed' } },
      ledger: ['s/one', 's/note {"was":"tool-failed"}', 's/note {"now":"two"}'],
    },
    'are seen in items of a distributed `forEach` too': {
      file: `steps:
  - id: a
    tool: s/one
    onError: [{ id: a, set: { text: two } }]
  - { forEach: [1], distribute: true, steps: [{ tool: s/use, with: { t: "\${{ steps.a.text }}" } }] }
`,
      servers: { 's/one': { fails: 'tool-failed' } },
      ledger: ['s/one', 's/use {"t":"two"}'],
    },
  });

  test('mean two steps in a version of an edition before, as when its runs began', () => {
    const text = `workflow: w\n${guarded.replace('steps.price.text', 'steps.price.status')}`;
    const { workflow } = parseWorkflow(text);
    const uses = ([2, 3] as const).map((edition) => {
      if (workflow === undefined) throw new Error('it does not parse');
      const plan = compile(workflow, { edition });
      const failing = { code: 'tool-failed', message: 'No.' };
      const { run, calls } = play(plan, {
        answer: ({ target }) =>
          target === 's/shop' ? { failure: failing, delivery: 'answered' } : { result: { content: [] } },
      });
      return [calls.at(-1)?.arguments, rowOf(run).outputs];
    });
    expect(uses).toEqual([
      [{ text: 'failed' }, { json: { status: 'failed' } }],
      [{ text: 'succeeded' }, { json: { status: 'succeeded' } }],
    ]);
  });
});

const race = (steps: string, more = ''): string => `steps:
  - id: race
    until: first
    parallel:
${steps}
${more}outputs: { first: "\${{ steps.race.first }}", output: "\${{ steps.race.output }}" }
`;
const two = '      - { id: slow, tool: s/slow, effect: read }\n      - { id: quick, tool: s/quick, effect: read }';

describe('`parallel` with `until: first`', () => {
  behaves({
    'gives what the first gave, and cancels the others': {
      file: race(two, '  - tool: s/after\n'),
      servers: { 's/slow': 'hangs', 's/quick': { gives: { n: 1 } } },
      outputs: { first: 'quick', output: { n: 1 } },
      ledger: ['s/slow', 's/quick', 's/after'],
    },
    'goes on where the first to end has failed': {
      file: race(two),
      servers: { 's/slow': { gives: 2, takesMs: 900 }, 's/quick': { fails: 'tool-failed' } },
      outputs: { first: 'slow', output: '2' },
      ledger: ['s/slow', 's/quick'],
    },
    'fails where all fail': {
      file: race(two),
      servers: { 's/slow': { fails: 'tool-failed', takesMs: 900 }, 's/quick': { fails: 'tool-failed' } },
      ends: 'tool-failed',
      ledger: ['s/slow', 's/quick'],
    },
    'counts no step that was skipped, or whose failure was ignored': {
      file: race(`      - { id: never, if: 1 > 2, tool: s/never }
      - { id: bad, tool: s/bad, onError: ignore }
      - { id: good, tool: s/good, effect: read }`),
      servers: { 's/bad': { fails: 'tool-failed' }, 's/good': { gives: 'g', takesMs: 500 } },
      outputs: { first: 'good', output: '"g"' },
      ledger: ['s/bad', 's/good'],
    },
    'gives nothing where every step was skipped': {
      file: race('      - { id: never, if: 1 > 2, tool: s/never }'),
      outputs: { first: null, output: null },
      ledger: [],
    },
    'lets groups race, each for itself: its answer is that of its last step': {
      file: race(`      - { id: a, steps: [{ tool: s/a1 }, { tool: s/a2, effect: read }] }
      - { id: b, steps: [{ tool: s/b1 }, { tool: s/b2 }] }`),
      servers: { 's/a2': 'hangs', 's/b2': { gives: { n: 2 } } },
      outputs: { first: 'b', output: { n: 2 } },
      ledger: ['s/a1', 's/b1', 's/a2', 's/b2'],
    },
    'runs the `finally` of a group that lost': {
      file: race(`      - { id: a, steps: [{ tool: s/hangs, effect: read }, { tool: s/never }], finally: [{ tool: s/free }] }
      - { id: b, tool: s/b }`),
      servers: { 's/hangs': 'hangs', 's/b': { gives: 1, takesMs: 50 } },
      outputs: { first: 'b', output: '1' },
      ledger: ['s/hangs', 's/b', 's/free'],
    },
    'ends a question, a wait, a signal and a child run that lost': {
      file: race(`      - { id: q, ask: Yes? }
      - { id: w, wait: 1h }
      - { id: s, wait: { signal: go } }
      - { id: c, workflow: other }
      - { id: t, tool: s/t }`),
      servers: { 's/t': { gives: 1, takesMs: 10 } },
      childrenHang: true,
      outputs: { first: 't', output: '1' },
      ledger: ['s/t'],
    },
    'takes an answer before a deadline': {
      file: race('      - { id: q, ask: Yes? }\n      - { id: late, wait: 1h }'),
      outside: { 0: answer('q', { approve: true }) },
      outputs: { first: 'q', output: { approve: true } },
      ledger: [],
    },
    'takes the deadline where no answer comes': {
      file: race('      - { id: q, ask: Yes? }\n      - { id: late, wait: 1h }'),
      outputs: { first: 'late', output: null },
      ledger: [],
    },
    'takes a signal before a deadline': {
      file: race('      - { id: s, wait: { signal: go } }\n      - { id: late, wait: 1h }'),
      outside: { 0: signal('go', 5) },
      outputs: { first: 's', output: 5 },
      ledger: [],
    },
    'tries one after the other with `maxParallel: 1`, until one succeeds': {
      file: race(
        '      - { id: a, tool: s/a }\n      - { id: b, tool: s/b }\n      - { id: c, tool: s/c }',
        '',
      ).replace('until: first', 'until: first\n    maxParallel: 1'),
      servers: { 's/a': { fails: 'tool-failed' }, 's/b': { gives: 'b' } },
      outputs: { first: 'b', output: '"b"' },
      ledger: ['s/a', 's/b'],
    },
    'undoes what lost, where it had succeeded too, when the run fails': {
      file: `steps:
  - until: first
    parallel: [{ tool: s/a, undo: { tool: s/undo-a } }, { tool: s/b, undo: { tool: s/undo-b } }]
  - fail: no
`,
      servers: { 's/a': { gives: 1, takesMs: 5 }, 's/b': { gives: 1, takesMs: 5 } },
      ends: 'workflow-failed',
      ledger: ['s/a', 's/b', 's/undo-a'],
    },
    'ends with the run, cancelled': {
      file: race(two),
      servers: { 's/slow': 'hangs', 's/quick': 'hangs' },
      outside: { 0: cancel },
      ends: 'cancelled',
      ledger: ['s/slow', 's/quick'],
    },
  });
});

describe('`workflow` with `await: false`', () => {
  behaves({
    'goes on as soon as the child run exists': {
      file: `steps: [{ id: c, workflow: other, await: false, with: { n: 1 } }, { tool: s/after }]
outputs: { run: "\${{ steps.c.runId }}", output: "\${{ steps.c.output }}" }
`,
      outputs: { run: 'child', output: null },
      ledger: ['s/after'],
    },
    'is not told how the child run ends': {
      file: 'steps: [{ workflow: other, await: false }, { tool: s/after }]',
      child: () => ({ status: 'failed', failure: { code: 'tool-failed', message: 'No.' } }),
      ledger: ['s/after'],
    },
    'is undone like any step': {
      file: 'steps: [{ workflow: other, await: false, undo: { tool: s/stop } }, { fail: no }]',
      ends: 'workflow-failed',
      ledger: ['s/stop'],
    },
  });
});
