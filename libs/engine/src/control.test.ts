import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play, playOn } from './play/play.ts';
import type { RunEvent } from './state/event.ts';
import { replay } from './state/evolve.ts';
import { rowOf } from './state/row.ts';
import { isEnded } from './state/run.ts';
import { Trace } from './state/trace.ts';

const outcome = (journal: readonly RunEvent[]): RunEvent | undefined => journal.at(-1);

const asking = (onExpire: string): string => `
workflow: w
inputs: { answer: {} }
steps:
  - id: q
    ask: Refund?
    form: { approve: { type: boolean }, percent: { type: integer, minimum: 1, maximum: 100, default: 10 } }
    expires: 1h
    onExpire: ${onExpire}
outputs: { answer: "\${{ steps.q.output }}" }
`;

const paths = (calls: readonly SimulatedCall[]): string[] => calls.map(({ path, attempt }) => `${path}#${attempt}`);

describe('time', () => {
  test('[L-043] a run that takes too long is stopped', () => {
    const { journal } = play(
      planOf(`
workflow: w
timeout: 10s
steps:
  - id: a
    tool: s/t
    effect: read
`),
      { answer: () => ({ result: {}, takesMs: 60_000 }) },
    );
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'run-timed-out' } });
  });

  test('[L-066] waits end at their instant, and occupy no worker', () => {
    const { run, nowMs } = play(
      planOf(`
workflow: w
steps:
  - wait: 2h
  - wait: { until: "2030-01-01T00:00:00Z" }
`),
      { startMs: Date.parse('2029-12-31T00:00:00Z') },
    );
    expect(run.status).toBe('succeeded');
    expect(nowMs).toBe(Date.parse('2030-01-01T00:00:00Z'));
  });
});

describe('questions and signals', () => {
  test('[L-064] a question waits for its answer, which is the output', () => {
    const { run } = play(
      planOf(`
workflow: w
steps:
  - id: q
    ask: Shall I?
    form: { approve: { type: boolean } }
outputs: { yes: "\${{ steps.q.output.approve }}", by: "\${{ steps.q.by }}" }
`),
      {
        outside: ({ questions, at }) =>
          questions === 1 ? [{ type: 'question.answered', at, path: 'q', answer: { approve: true }, by: 'ada' }] : [],
      },
    );
    expect(rowOf(run).outputs).toEqual({ json: { yes: true, by: 'ada' } });
  });

  test('[L-065] a question without an answer takes its `onExpire`, or fails', () => {
    const text = (more: string): string => `
workflow: w
steps:
  - id: q
    ask: Shall I?
    form: { approve: { type: boolean } }
    expires: 8h
    ${more}
`;
    const expired = play(planOf(text('onExpire: { approve: false }')));
    expect(expired.run.status).toBe('succeeded');
    expect(expired.run.questions).toBe(0);
    expect(outcome(play(planOf(text(''))).journal)).toMatchObject({ failure: { code: 'question-expired' } });
  });

  test.each([
    [{ approve: false }, { approve: false, percent: 10 }],
    [
      { approve: true, percent: 50 },
      { approve: true, percent: 50 },
    ],
  ])('An answer by expiry has the defaults of the form: %j', (given, output) => {
    const { run } = play(planOf(asking('"${{ inputs.answer }}"')), { inputs: { answer: given } });
    expect(rowOf(run).outputs).toEqual({ json: { answer: output } });
  });

  test('A question is not asked if the answer by its expiry does not fit the form.', () => {
    const { journal, run } = play(planOf(asking('{ approve: true, percent: "${{ inputs.answer }}" }')), {
      inputs: { answer: 101 },
    });
    expect(outcome(journal)).toMatchObject({
      failure: { code: 'expression-failed', details: { at: '/steps/0/onExpire/percent' } },
    });
    expect(rowOf(run).failure?.message).toContain('does not fit the form');
    expect(journal.some(({ type }) => type === 'step.waiting')).toBe(false);
  });

  test('[L-067] a wait takes the first signal that matches, also one that came before it, and leaves the others', () => {
    const signals = [1, 2, 3].map(
      (n) => ({ type: 'signal.received', at: 1, name: 'paid', payload: { n }, by: 'bank' }) as const,
    );
    const { run, journal } = play(
      planOf(`
workflow: w
steps:
  - id: w
    wait: { signal: paid, match: signal.n == 2 }
outputs: { n: "\${{ steps.w.output.n }}" }
`),
      { outside: (_, round) => (round === 0 ? signals : []) },
    );
    expect(rowOf(run).outputs).toEqual({ json: { n: 2 } });
    const before = replay(run.id, journal.slice(0, -1));
    expect(isEnded(before) ? [] : before.signals.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 3 }]);
  });
});

describe('control', () => {
  test('[L-070 L-011] `parallel` runs children together, in the order of their needs', () => {
    const { calls, run } = play(
      planOf(`
workflow: w
steps:
  - parallel:
      - { id: a, tool: s/a, needs: [c] }
      - { id: b, tool: s/b }
      - { id: c, tool: s/c }
outputs: { a: "\${{ steps.a.status }}" }
`),
      { answer: ({ target }) => ({ result: {}, takesMs: target === 's/b' ? 50 : 5 }) },
    );
    expect(paths(calls)).toEqual(['b#1', 'c#1', 'a#1']);
    expect(rowOf(run).outputs).toEqual({ json: { a: 'succeeded' } });
  });

  test('a child that fails stops the others, and their reason names it', () => {
    const { journal } = play(
      planOf(`
workflow: w
steps:
  - parallel:
      - { id: slow, tool: s/slow, effect: read }
      - { id: bad, tool: s/bad }
      - { id: never, tool: s/never, needs: [slow] }
`),
      {
        answer: ({ target }) =>
          target === 's/bad'
            ? { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' }
            : { result: {}, takesMs: 1000 },
      },
    );
    const trace = Trace.of(journal);
    expect(['slow', 'bad', 'never'].map((path) => trace.step(path)?.status)).toEqual([
      'cancelled',
      'failed',
      undefined,
    ]);
    expect(journal).toContainEqual(expect.objectContaining({ path: 'slow', reason: 'the step bad beside it failed' }));
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { step: 'bad' } });
  });

  test('[L-071 L-072 L-073] `forEach` keeps the order of its items, in any order of their ends, and collects failures if the step says so', () => {
    const { run } = play(
      planOf(`
workflow: w
steps:
  - id: each
    forEach: [5, 1, 3, 2, 4]
    as: n
    maxParallel: 3
    onItemError: collect
    steps:
      - { id: t, tool: s/t, with: { n: "\${{ n }}", i: "\${{ index }}" } }
    collect: "\${{ steps.t.output.n * 10 }}"
outputs: { all: "\${{ steps.each.output }}", count: "\${{ steps.each.count }}" }
`),
      {
        answer: ({ arguments: { n } }) =>
          n === 3
            ? { failure: { code: 'tool-failed', message: 'Not three.' }, delivery: 'answered' }
            : { result: textResult({ n: Number(n) }), takesMs: Number(n) * 10 },
      },
    );
    expect(rowOf(run).outputs).toEqual({
      json: {
        all: [50, 10, { error: { code: 'tool-failed', message: 'Not three.', step: 'each/2/t' } }, 20, 40],
        count: 5,
      },
    });
  });

  test('[L-075] `repeat` polls until its condition holds, and fails when it never does', () => {
    const text = `
workflow: w
steps:
  - id: poll
    repeat:
      max: 4
      every: 30s
      until: steps.look.output.done
      steps:
        - { id: look, tool: s/look, with: { i: "\${{ index }}" } }
outputs: { rounds: "\${{ steps.poll.iterations }}", last: "\${{ steps.poll.steps.look.output.i }}" }
`;
    const doneAt =
      (round: number) =>
      ({ arguments: { i } }: SimulatedCall): CallResult => ({
        result: textResult({ done: i === round, i: Number(i) }),
      });
    const { run } = play(planOf(text), { answer: doneAt(2) });
    expect(rowOf(run).outputs).toEqual({ json: { rounds: 3, last: 2 } });
    expect(outcome(play(planOf(text), { answer: doneAt(9) }).journal)).toMatchObject({
      failure: { code: 'repeat-exhausted' },
    });
  });

  test('[L-074] `switch` takes the first case that holds', () => {
    const { calls } = play(
      planOf(
        `
workflow: w
inputs: { n: { type: integer } }
steps:
  - switch:
      - { when: inputs.n > 10, steps: [{ tool: s/big }] }
      - { when: inputs.n > 5, steps: [{ tool: s/middle }] }
      - { else: [{ tool: s/small }] }
`.replace('{ else: [{ tool: s/small }] }', 'else:\n          - tool: s/small'),
      ),
      { inputs: { n: 7 } },
    );
    expect(calls.map(({ target }) => target)).toEqual(['s/middle']);
  });

  test('[L-069] a child run hands its outputs back', () => {
    const { run } = play(
      planOf(`
workflow: w
steps:
  - id: c
    workflow: other@3
    with: { x: 2 }
outputs: { y: "\${{ steps.c.output.y }}", id: "\${{ steps.c.runId }}" }
`),
      { child: (_, inputs) => ({ y: (inputs as { x: number }).x * 2 }) },
    );
    expect(rowOf(run).outputs).toEqual({ json: { y: 4, id: 'child' } });
  });
});

describe('the journal', () => {
  test('replaying it gives the run, and going on from any prefix gives the same outputs', () => {
    const plan = planOf(`
workflow: w
steps:
  - id: a
    tool: s/a
    effect: read
  - id: each
    forEach: [1, 2, 3]
    as: n
    steps: [{ id: t, tool: s/t, effect: read, with: { n: "\${{ n }}" } }]
    collect: "\${{ steps.t.output.n }}"
  - parallel:
      - { id: p, tool: s/p, effect: idempotent }
      - { id: q, set: { v: "\${{ steps.each.output.map(x, x + 1) }}" } }
finally:
  - { id: f, tool: s/f, effect: read }
outputs: { q: "\${{ steps.q.v }}" }
`);
    const answer = ({ arguments: { n } }: SimulatedCall): CallResult => ({ result: textResult({ n: Number(n ?? 0) }) });
    const { run, journal } = play(plan, { answer });
    expect(replay(run.id, journal)).toEqual(run);
    for (let cut = 1; cut < journal.length; cut++) {
      const again = playOn(plan, journal.slice(0, cut), { answer });
      expect(rowOf(again.run).outputs).toEqual({ json: { q: [2, 3, 4] } });
    }
  });
});
