/** Steps without a result: skipped, or with a failure that is ignored. */
import { compile, parseWorkflow } from '@baton/language';
import { behaves } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { play } from '../play/play.ts';
import { rowOf } from '../state/row.ts';

/** Each way in which the docs let an expression read a result that may be lacking. */
const reads: Readonly<Record<string, string>> = {
  'steps.a.?output.orValue([])': '[]',
  'steps.?a.?output.orValue([])': '[]',
  'steps["a"].?output.orValue([])': '[]',
  'steps.a[?"output"].orValue([])': '[]',
  'steps.a.?output.or(optional.of([])).value()': '[]',
  'default(steps.a.output, [])': '[]',
  'steps.a.output.default([])': '[]',
  'default(steps.a.output.items, [])': '[]',
  'steps.a.output == null ? [] : steps.a.output': '[]',
  '[steps.a.?output.hasValue(), has(steps.a.output), has(steps.?a.output)]': '[false,false,false]',
  'steps.a.output': 'null',
  '{"a": steps.a.?output, "b": 1}': '{"b":1}',
};

const file = (step: string, source: string): string =>
  `inputs: { isOn: { type: boolean } }\nsteps:\n  - { id: a, ${step} }\noutputs: { x: '\${{ json(${source}) }}' }`;

describe('the output of a step that was skipped', () => {
  behaves(
    Object.fromEntries(
      Object.entries(reads).map(([source, x]) => [
        `is read by ${source} as ${x}`,
        { file: file('if: inputs.isOn, tool: s/a', source), inputs: { isOn: false }, outputs: { x }, ledger: [] },
      ]),
    ),
  );
});

describe('the output of a step whose failure is ignored', () => {
  behaves(
    Object.fromEntries(
      Object.entries(reads).map(([source, x]) => [
        `is read by ${source} as ${x}`,
        {
          file: file('onError: ignore, tool: s/a', source),
          servers: { 's/a': { fails: 'tool-failed' } },
          outputs: { x },
          ledger: ['s/a'],
        },
      ]),
    ),
  );
});

describe('branches that may be skipped', () => {
  behaves({
    'merge as nothing where they were skipped': {
      file: `inputs: { isOn: { type: boolean } }
steps:
  - { id: a, if: inputs.isOn, forEach: [1, 2], collect: "\${{ item }}", steps: [{ set: {} }] }
  - { id: b, forEach: [4], collect: "\${{ item }}", steps: [{ set: {} }] }
outputs: { c: "\${{ steps.a.?output.orValue([]) + steps.b.output }}" }`,
      inputs: { isOn: false },
      outputs: { c: [4] },
      ledger: [],
    },
    'leave an argument out where they were skipped': {
      file: `steps:
  - { id: a, if: "false", set: { n: 1 } }
  - { tool: s/t, with: { n: "\${{ steps.a.?output }}", m: 1 } }`,
      ledger: ['s/t {"m":1}'],
    },
    'of a round are missing in it, and the last round keeps its own': {
      file: `steps:
  - id: r
    repeat:
      max: 2
      until: index == 1
      steps: [{ id: a, if: index == 0, set: { n: 7 } }]
outputs: { n: "\${{ steps.r.steps.a.?output.orValue('none') }}" }`,
      outputs: { n: 'none' },
      ledger: [],
    },
  });
});

describe('`default`', () => {
  behaves({
    'takes what is there, false, 0 and empty texts too': {
      file: `steps: [{ id: s, set: { list: [false, 0, "", [], { a: null }] } }]
outputs: { x: "\${{ steps.s.list.map(v, default(v, 'other')) }}" }`,
      outputs: { x: [false, 0, '', [], { a: null }] },
      ledger: [],
    },
    'replaces null, what is missing, and what is asked of either': {
      file: `steps: [{ id: s, tool: s/t }]
outputs:
  x: "\${{ cel.bind(o, steps.s.output, [default(o.a, 1), default(o.b.c.d, 2), default(o.none, 3), default(o.b['x'][0], 4), o.?none.default(5)]) }}"`,
      servers: { 's/t': { gives: { a: null, b: { c: null } } } },
      outputs: { x: [1, 2, 3, 4, 5] },
      ledger: ['s/t'],
    },
    'evaluates its second argument only where it is needed, and hides no other failure': {
      file: `steps:
  - { id: s, tool: s/t }
  - { tool: s/use, with: { n: "\${{ default(steps.s.output.a, 1 / steps.s.output.zero) }}" } }
  - { tool: s/use, with: { n: "\${{ default(int(steps.s.output.b), 1) }}" } }`,
      servers: { 's/t': { gives: { a: 1, zero: 0, b: 'x' } } },
      ends: 'expression-failed',
      ledger: ['s/t', 's/use {"n":1}'],
    },
  });
});

test('A version of an edition before reads the null of a skipped step as a value, as when its runs began.', () => {
  const { workflow } = parseWorkflow(`workflow: w\n${file('if: "false", tool: s/a', 'steps.a.?output.orValue([])')}`);
  const read = ([3, 4] as const).map((edition) => {
    if (workflow === undefined) throw new Error('it does not parse');
    const { outputs } = rowOf(play(compile(workflow, { edition })).run);
    return outputs && 'json' in outputs ? outputs.json : undefined;
  });
  expect(read).toEqual([{ x: 'null' }, { x: '[]' }]);
});
