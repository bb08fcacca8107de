import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, type SimulatedRun, play } from '../play/play.ts';
import { rowOf } from './row.ts';
import { Trace } from './trace.ts';

const text = (distribute: boolean, more = ''): string => `
workflow: w
inputs: { base: { type: integer } }
steps:
  - id: factor
    set: { by: 10 }
  - id: each
    forEach: [[1, 2], [3], []]
    as: row
    distribute: ${distribute}
    onItemError: collect
    ${more}
    steps:
      - id: inner
        forEach: "\${{ row }}"
        as: cell
        distribute: ${distribute}
        steps:
          - { id: t, tool: s/t, effect: read, with: { n: "\${{ cell * steps.factor.by + inputs.base }}", run: "\${{ run.id }}" } }
        collect: "\${{ steps.t.output.n + index }}"
      - id: check
        if: row.size() == 1
        tool: s/check
        with: { i: "\${{ index }}" }
    collect: "\${{ {'row': index, 'cells': steps.inner.output} }}"
outputs: { all: "\${{ steps.each.output }}" }
`;

const answer = ({ target, arguments: { n } }: SimulatedCall): CallResult =>
  target === 's/check'
    ? { failure: { code: 'invalid-arguments', message: 'No.' }, delivery: 'unsent' }
    : { result: textResult({ n: Number(n) }) };

const outputsOf = (played: SimulatedRun | undefined): unknown => played && rowOf(played.run).outputs;

describe('[L-077] forEach with `distribute`', () => {
  test('has the values, failures and calls that it has without `distribute`', () => {
    const [here, elsewhere] = [false, true].map((distribute) =>
      play(planOf(text(distribute)), { inputs: { base: 5 }, answer }),
    );
    expect(outputsOf(elsewhere)).toEqual({
      json: {
        all: [
          { row: 0, cells: [15, 26] },
          { error: { code: 'invalid-arguments', message: 'No.', step: 'each/1/check' } },
          { row: 2, cells: [] },
        ],
      },
    });
    expect(outputsOf(elsewhere)).toEqual(outputsOf(here));
    const sent = (played: typeof here): unknown[] | undefined =>
      played?.calls.map((made) => JSON.stringify([made.target, made.arguments])).toSorted();
    expect(sent(elsewhere)).toEqual(sent(here));
    expect(elsewhere?.run.spent).toEqual(here?.run.spent);
  });

  test('each item is a run of its own, at most `maxParallel` at once', () => {
    const { run, journal } = play(planOf(text(true, 'maxParallel: 2')), { inputs: { base: 0 }, childrenHang: true });
    expect(run.status).toBe('running');
    expect(Trace.of(journal).steps.flatMap(({ path, awaiting }) => (awaiting ? [[path, awaiting]] : []))).toEqual([
      ['each/0/run', { for: 'child', workflow: 'w', version: 1, inputs: { json: {} }, item: true }],
      ['each/1/run', { for: 'child', workflow: 'w', version: 1, inputs: { json: {} }, item: true }],
    ]);
  });

  test('cancelling the run cancels the runs of its items', () => {
    const { run, journal } = play(planOf(text(true)), {
      inputs: { base: 0 },
      childrenHang: true,
      outside: ({ at, cancel }) => (cancel === undefined ? [{ type: 'run.cancelRequested', at, by: 'ada' }] : []),
    });
    expect(run.status).toBe('cancelled');
    expect(Trace.of(journal).step('each/0/run')?.status).toBe('cancelled');
  });
});

test('[L-092] what a distributed item did is undone where it fails, and is settled once it has succeeded (decision 10)', () => {
  const { calls, run } = play(
    planOf(`
workflow: w
steps:
  - id: each
    forEach: [0, 1]
    as: n
    maxParallel: 1
    distribute: true
    steps:
      - { id: t, tool: s/t, with: { n: "\${{ n }}" }, undo: { tool: s/undo, with: { n: "\${{ n }}" } } }
      - { if: n == 1, fail: enough }
`),
  );
  expect(run.status).toBe('failed');
  expect(calls.map(({ target, arguments: { n } }) => [target, n])).toEqual([
    ['s/t', 0],
    ['s/t', 1],
    ['s/undo', 1],
  ]);
});

describe('[L-069] a child run', () => {
  const child = (more: string): string => `
workflow: w
steps:
  - { id: c, workflow: other, ${more} }
`;

  test('that takes longer than its step may is cancelled, and the step fails', () => {
    const { journal, run } = play(planOf(child('timeout: 5m')), { childrenHang: true });
    expect(rowOf(run).failure).toMatchObject({ code: 'step-timed-out', step: 'c' });
    expect(journal.some((event) => event.type === 'child.finished' && event.status === 'cancelled')).toBe(true);
  });

  test.each([
    ['failed', { code: 'tool-failed', message: 'No.' }],
    ['cancelled', { code: 'cancelled', message: 'Enough.' }],
  ] as const)('that was %s fails the step, which can be handled', (status, failure) => {
    const plan = planOf(child('onError: [{ set: { x: "${{ error.message }}" } }]'));
    const { run, journal } = play(plan, { child: () => ({ status, failure }) });
    expect(run.status).toBe('succeeded');
    const runId = journal.find((event) => event.type === 'child.finished')?.runId;
    expect(runId).toMatch(/^\S+$/);
    expect(journal.find((event) => event.type === 'step.failed')).toMatchObject({
      failure: {
        code: 'child-failed',
        message: `${failure.code}: ${failure.message} By way of: the child run ${runId} ${status === 'failed' ? 'failed' : 'was cancelled'}.`,
      },
    });
  });
});
