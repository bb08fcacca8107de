import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from '../play/play.ts';
import { rowOf } from '../state/row.ts';
import type { Run } from '../state/run.ts';
import { Trace } from '../state/trace.ts';

const answer = ({ arguments: { n } }: SimulatedCall): CallResult => ({
  takesMs: 1 + (Number(n) % 7),
  result: textResult({ n: Number(n), text: 'an answer that no step collects' }),
});

const each = (more: string, inner = ''): string => `
workflow: w
steps:
  - id: each
    forEach: "\${{ range(1000) }}"
    as: n
    maxParallel: 50
    ${more}
    steps: [{ id: t, tool: s/t, effect: read, with: { n: "\${{ n }}" }${inner} }]
outputs: { sum: "\${{ sum(steps.each.output) }}", count: "\${{ steps.each.count }}" }
`;

const stateOf = (run: Run) => run.frames.get('@main')?.steps.get('each');

describe('forEach over many items', () => {
  test('keeps only the frames of running items and the collected values of finished ones', () => {
    let most = 0;
    const texts: number[] = [];
    const { run, journal } = play(planOf(each('collect: "${{ steps.t.output.n }}"')), {
      answer,
      outside: (now, round) => {
        most = Math.max(most, stateOf(now)?.frames.size ?? 0);
        if (round === 900)
          texts.push(JSON.stringify([...(stateOf(now)?.frames ?? [])]).split('no step collects').length);
        return [];
      },
    });
    expect(rowOf(run).outputs).toEqual({ json: { sum: 499_500, count: 1000 } });
    const shown = Trace.of(journal).step('each')?.value;
    expect(shown).toEqual({ list: Array.from({ length: 1000 }, (_, n) => ({ json: n })) });
    expect(most).toBe(50);
    expect(texts[0]).toBeLessThanOrEqual(51);
  });

  test('an event copies nothing of other steps', () => {
    let before: Run | undefined;
    let same = 0;
    let different = 0;
    play(planOf(each('collect: "${{ steps.t.output.n }}"')), {
      answer,
      outside: (now) => {
        const [old, young] = [before, now].map((run) => run && stateOf(run)?.frames);
        for (const [name, frame] of young ?? [])
          if (old?.get(name) === frame) same += 1;
          else different += 1;
        expect(stateOf(now)?.items?.values).toBe(
          before === undefined ? stateOf(now)?.items?.values : stateOf(before)?.items?.values,
        );
        before = now;
        return [];
      },
    });
    expect(same / (same + different)).toBeGreaterThan(0.9);
  });

  test('a thousand items are undone last first, each once, without searching any of them twice', () => {
    const plan = planOf(
      each('', ', undo: { tool: s/undo, with: { n: "${{ n }}" } }')
        .replace('outputs:', '  - fail: enough\noutputs:')
        .replace('sum(steps.each.output)', '1'),
    );
    const { run, calls, journal } = play(plan, { answer: (made) => ({ ...answer(made), takesMs: 1 }) });
    const undone = calls.filter(({ target }) => target === 's/undo').map(({ arguments: { n } }) => n);
    const done = journal.flatMap((event) => (event.type === 'step.succeeded' && event.undoable ? [event.path] : []));
    expect(undone.map((n) => `each/${JSON.stringify(n)}/t`)).toEqual(done.toReversed());
    expect(run.undoable).toBeUndefined();
    expect(Trace.of(journal).step('each/7/t')?.undoEnd).toBe('undone');
  });

  test('[L-092] an undo reads the output of its item, which the state no longer holds', () => {
    const plan = planOf(
      each('', ', undo: { tool: s/undo, with: { n: "${{ n }}", was: "${{ steps.t.output.n }}" } }')
        .replace('outputs:', '  - fail: enough\noutputs:')
        .replace('sum(steps.each.output)', '1'),
    );
    for (const decidesInSlices of [false, true]) {
      const { run, calls } = play(plan, { answer, decidesInSlices });
      const undone = calls.filter(({ target }) => target === 's/undo');
      expect(undone.map(({ arguments: { was } }) => was)).toEqual(undone.map(({ arguments: { n } }) => n));
      expect(undone).toHaveLength(1000);
      expect(JSON.stringify(stateOf(run)?.items?.closed)).not.toContain('an answer that no step collects');
    }
  });

  test('without `collect` the output is null for each item', () => {
    const { run } = play(
      planOf(`
workflow: w
steps:
  - { id: each, forEach: [1, 2], steps: [{ tool: s/t }] }
  - { id: none, forEach: [], steps: [{ tool: s/t }] }
outputs: { all: "\${{ steps.each.output }}", none: "\${{ steps.none.output }}" }
`),
    );
    expect(rowOf(run).outputs).toEqual({ json: { all: [null, null], none: [] } });
  });

  test('a `timeout` that stops the last items fails the step', () => {
    const { journal } = play(
      planOf(`
workflow: w
steps:
  - { id: each, timeout: 5s, forEach: [1, 2], steps: [{ id: t, tool: s/t, effect: read }] }
`),
      { answer: ({ path }) => ({ result: {}, takesMs: path === 'each/1/t' ? 60_000 : 1 }) },
    );
    expect(journal.at(-1)).toMatchObject({ status: 'failed', failure: { code: 'step-timed-out', step: 'each' } });
  });

  test('the first failure stops the other items, which are not begun any more', () => {
    const { journal, calls } = play(
      planOf(`
workflow: w
steps:
  - { id: each, forEach: [0, 1, 2, 3], as: n, maxParallel: 2, steps: [{ id: t, tool: s/t, effect: read, with: { n: "\${{ n }}" } }] }
`),
      {
        answer: ({ arguments: { n } }) =>
          n === 1
            ? { failure: { code: 'invalid-arguments', message: 'No.' }, delivery: 'unsent' }
            : { result: {}, takesMs: 50 },
      },
    );
    expect(calls.map(({ path }) => path)).toEqual(['each/0/t', 'each/1/t']);
    expect(Trace.of(journal).step('each/0/t')?.status).toBe('cancelled');
    expect(journal.at(-1)).toMatchObject({
      status: 'failed',
      failure: { code: 'invalid-arguments', step: 'each/1/t' },
    });
  });
});

describe('the items that a run may have', () => {
  const loop = (id: string, count: number, more = ''): string =>
    `{ id: ${id}, forEach: "\${{ range(${count}) }}", as: n${more}, steps: [{ id: t, tool: s/t, effect: read }] }`;
  const end = (steps: string, items: number): Run =>
    play(planOf(`workflow: w\nsteps: [${steps}]`), { limits: { items } }).run;

  test('are counted over all its forEach steps, and one that has too many begins none', () => {
    expect(end(`${loop('a', 3)}, ${loop('b', 3)}`, 6)).toMatchObject({ status: 'succeeded', itemCount: 6 });
    const { run, calls } = play(planOf(`workflow: w\nsteps: [${loop('a', 3)}, ${loop('b', 3)}]`), {
      limits: { items: 5 },
    });
    expect(calls).toHaveLength(3);
    const message = 'forEach got 3 items; the run may have 2 more, and 5 in all.';
    expect(run).toMatchObject({ status: 'failed', failure: { code: 'limit-exceeded', message, step: 'b' } });
  });

  test('are counted of those that begin at the same time, and of those inside others', () => {
    const atOnce = `{ parallel: [${loop('a', 3)}, ${loop('b', 3)}] }`;
    expect(end(atOnce, 6).status).toBe('succeeded');
    expect(rowOf(end(atOnce, 5)).failure?.code).toBe('limit-exceeded');
    const inside = `{ id: o, forEach: [1, 2], as: m, steps: [${loop('a', 3)}] }`;
    expect(end(inside, 8).status).toBe('succeeded');
    expect(rowOf(end(inside, 7)).failure?.code).toBe('limit-exceeded');
  });

  test('are counted of its child runs, which get what is left', () => {
    const inside = `{ id: o, forEach: [1, 2], as: m, distribute: true, maxParallel: 1, steps: [${loop('a', 3)}] }`;
    expect(end(inside, 8)).toMatchObject({ status: 'succeeded', itemCount: 8 });
    expect(end(inside, 7).status).toBe('failed');
  });

  test('are as many as there are in a run from before there was a limit', () => {
    const { run } = play(planOf(`workflow: w\nsteps: [${loop('a', 500)}]`));
    expect(run).toMatchObject({ status: 'succeeded', limits: undefined, itemCount: 0 });
  });
});
