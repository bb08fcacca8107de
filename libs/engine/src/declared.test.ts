import type { ToolDeclaration } from '@baton/language';
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import { one, outcome, paths } from './testing/oneCall.ts';

const check = {
  tool: 'search',
  with: { q: '${{ call.arguments.n }}' },
  happened: 'result.output.found.exists(one, one.n == call.arguments.n)',
  output: 'result.output.found[0]',
};

const lost: CallResult = { failure: { code: 'connection-lost', message: 'The stream broke.' }, delivery: 'unknown' };

/** The first call of `s/t` loses its answer; `s/search` finds these. */
const finding =
  (...found: readonly object[]): ((made: SimulatedCall) => CallResult) =>
  ({ target, attempt }) => {
    if (target === 's/search') return { result: textResult({ found: [...found] as never }) };
    return target === 's/t' && attempt === 1 ? lost : { result: textResult({ id: 9 }) };
  };

const plan = (text: string, declared: ToolDeclaration = { check }) => planOf(text, {}, {}, { 's/t': declared });

/** What the tools were called with. */
const given = (calls: readonly SimulatedCall[]): unknown[] =>
  calls.map(({ target, arguments: args }) => [target, args]);

describe('a check that the server configuration declares', () => {
  test('A declared check finds a call that happened, by what it was called with, and gives the step its output', () => {
    const text = one().replace('steps.a.text', 'steps.a.output.id');
    const { run, calls, journal } = play(plan(text), { answer: finding({ n: 1, id: 7 }) });
    expect(run.status).toBe('succeeded');
    expect(outcome(journal)).toMatchObject({ outputs: { json: { a: 7 } } });
    expect(given(calls)).toEqual([
      ['s/t', { n: 1 }],
      ['s/search', { q: 1 }],
    ]);
  });

  test.each([undefined, 'null', 'result.output.?none'])(
    'A declared check whose output is %s gives the step an empty map',
    (output) => {
      const text = one().replace('steps.a.text', 'steps.a.output');
      const { journal } = play(plan(text, { check: { ...check, output } }), { answer: finding({ n: 1 }) });
      expect(outcome(journal)).toHaveProperty('outputs', { json: { a: {} } });
    },
  );

  test('A declared check finds that a call did not happen, which is then made once', () => {
    const { run, calls } = play(plan(one()), { answer: finding({ n: 2, id: 7 }) });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a/@check1/tool-1#1', 'a#2']]);
  });

  test.each(['fail', 'ask'])('A declared check is not made where the step says `ifUnknown: %s`', (ifUnknown) => {
    const { calls } = play(plan(one(`    ifUnknown: ${ifUnknown}`)), { answer: finding() });
    expect(paths(calls)).toEqual(['a#1']);
  });

  test('A declared check gives way to the step’s own check', () => {
    const own = one('    check: { tool: s/own, happened: "true" }');
    const { calls } = play(plan(own), { answer: finding() });
    expect(calls.map(({ target }) => target)).toEqual(['s/t', 's/own']);
  });

  test('A declared check reads no argument that holds a secret: the outcome stays unknown, and nothing is made again', () => {
    const text = one().replace('{ n: 1 }', '{ n: "${{ secrets.TOKEN }}" }');
    const { calls, journal } = play(plan(text), { answer: finding() });
    expect(calls.map(({ target }) => target)).toEqual(['s/t']);
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'outcome-unknown' } });
  });

  const items = `
workflow: items
steps:
  - forEach: ["x"]
    as: call
    steps:
      - { id: a, tool: s/t, with: { n: "\${{ call }}" } }
`;

  test('A declared check reads the call also inside a `forEach` whose items have the name `call`', () => {
    const { run, calls } = play(plan(items), { answer: finding({ n: 'x', id: 7 }) });
    expect(run.status).toBe('succeeded');
    expect(given(calls)).toEqual([
      ['s/t', { n: 'x' }],
      ['s/search', { q: 'x' }],
    ]);
  });

  test('A declared check leaves the name `call` to the items where the step has a check of its own', () => {
    const own = items.replace(
      'with:',
      'ifUnknown: check, check: { tool: s/search, with: { q: "${{ call }}" }, happened: "true" }, with:',
    );
    const { calls } = play(plan(own, {}), { answer: finding() });
    expect(given(calls)[1]).toEqual(['s/search', { q: 'x' }]);
  });
});

describe('an undo that the server configuration declares', () => {
  const undo = { tool: 'close', with: { id: '${{ call.output.id }}', n: '${{ call.arguments.n }}' } };
  const fails = (more = '') => one(more).replace('outputs:', '  - { fail: It is too late. }\noutputs:');

  test('A declared undo is made where the step says `undo: declared`, with what was called and answered', () => {
    const { run, calls } = play(plan(fails('    undo: declared'), { undo }), {
      answer: () => ({ result: textResult({ id: 9 }) }),
    });
    expect(run.status).toBe('failed');
    expect(given(calls)).toEqual([
      ['s/t', { n: 1 }],
      ['s/close', { id: 9, n: 1 }],
    ]);
  });

  test('A declared undo is not made where the step does not say so', () => {
    const { calls } = play(plan(fails(), { undo }), { answer: () => ({ result: textResult({ id: 9 }) }) });
    expect(calls.map(({ target }) => target)).toEqual(['s/t']);
  });

  test('A declared undo has the output that a declared check found', () => {
    const { calls } = play(plan(fails('    undo: declared'), { check, undo }), { answer: finding({ n: 1, id: 7 }) });
    expect(given(calls).at(-1)).toEqual(['s/close', { id: 7, n: 1 }]);
  });
});

test('The check and the undo that a step has itself read what the call was made with, and the undo what it answered', () => {
  const text = `workflow: w
steps:
  - tool: s/t
    id: a
    with: { n: 1 }
    effect: write
    ifUnknown: check
    check: { tool: s/search, with: { q: "\${{ call.arguments.n }}" }, happened: call.arguments.n == 1 }
  - tool: s/add
    with: { n: 2 }
    effect: write
    undo: { tool: s/remove, with: { n: "\${{ call.arguments.n }}", id: "\${{ call.output.id }}" } }
  - fail: Enough.
`;
  const { calls } = play(planOf(text, { 's/search': 'read' }), { answer: finding() });
  expect(given(calls)).toEqual([
    ['s/t', { n: 1 }],
    ['s/search', { q: 1 }],
    ['s/add', { n: 2 }],
    ['s/remove', { n: 2, id: 9 }],
  ]);
});
