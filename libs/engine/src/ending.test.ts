/** How a run ends: what follows its steps, and in which order. */
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import { rowOf } from './state/row.ts';

const made = (calls: readonly SimulatedCall[]): string[] => calls.map(({ target }) => target);

describe('[L-048] outputs', () => {
  const text = (value: string): string => `
workflow: w
steps:
  - { id: a, tool: s/a, undo: { tool: s/unA } }
onFailure: [{ tool: s/tell, with: { why: "\${{ error.code }}" } }]
finally: [{ tool: s/close }]
outputs: { x: "\${{ ${value} }}" }
`;

  test('that cannot be computed fail the run, whose undo and `onFailure` then run', () => {
    const { run, calls } = play(planOf(text('steps.a.output.missing')));
    expect(rowOf(run).failure).toMatchObject({ code: 'expression-failed', details: { at: '/outputs/x' } });
    expect(made(calls)).toEqual(['s/a', 's/unA', 's/tell', 's/close']);
  });

  test('are of the steps; `finally` does not change them', () => {
    const { run, calls } = play(planOf(text('steps.a.output.ok')));
    expect([rowOf(run).outputs, made(calls)]).toEqual([{ json: { x: true } }, ['s/a', 's/close']]);
  });
});

describe('[L-046 L-047 L-092] after a failure', () => {
  const text = `
workflow: w
budget: { usd: 1 }
steps:
  - { id: a, tool: s/a, undo: { tool: s/unA } }
  - { id: b, sample: { append: "?" } }
onFailure: [{ tool: s/tell, with: { why: "\${{ error.code }}" } }]
finally: [{ tool: s/close }]
`;
  const costing =
    (usd: number, bad?: string) =>
    ({ target }: SimulatedCall): CallResult => {
      if (target === bad) return { failure: { code: 'tool-not-found', message: 'No.' }, delivery: 'rejected' };
      return { result: textResult({}), ...(target === 'sample' ? { usage: { usd } } : {}) };
    };

  test('[L-044] a last step that overspent fails the run too', () => {
    const { run, calls } = play(planOf(text), { answer: costing(2) });
    expect(rowOf(run).failure?.code).toBe('budget-exceeded');
    expect(made(calls)).toEqual(['s/a', 'sample', 's/unA', 's/tell', 's/close']);
  });

  test('an undo that fails, and an `onFailure` that fails, keep nothing after them from running', () => {
    for (const bad of ['s/unA', 's/tell', 's/close']) {
      const { run, calls } = play(planOf(text), { answer: costing(2, bad) });
      expect(rowOf(run).failure?.code).toBe('budget-exceeded');
      expect(made(calls)).toEqual(['s/a', 'sample', 's/unA', 's/tell', 's/close']);
    }
  });
});

describe('[L-076] `fail`', () => {
  test('ends the run with its message and its code, a call beside it never made', () => {
    const { run, calls } = play(
      planOf(`
workflow: w
steps:
  - parallel:
      - { id: beside, tool: s/t }
      - { id: no, fail: "Not \${{ run.workflow }}", code: not-this }
`),
    );
    expect(rowOf(run).failure).toEqual({ code: 'not-this', message: 'Not w', step: 'no' });
    expect(calls).toEqual([]);
  });
});

describe('[L-062] a resource', () => {
  test('is read at its URI, which may be a template for its arguments, and is parsed where it is JSON', () => {
    const { run, calls } = play(
      planOf(`
workflow: w
inputs: { page: { type: string } }
steps:
  - { id: r, resource: wiki, uri: "wiki://pages/{page}", with: { page: "\${{ inputs.page }}" } }
outputs: { title: "\${{ steps.r.output.title }}", text: "\${{ steps.r.text }}" }
`),
      {
        inputs: { page: 'scan' },
        answer: () => ({
          result: { contents: [{ uri: 'wiki://pages/scan', mimeType: 'application/json', text: '{"title":"Scan"}' }] },
        }),
      },
    );
    expect(calls[0]).toMatchObject({ target: 'wiki/wiki://pages/{page}', arguments: { page: 'scan' } });
    expect(rowOf(run).outputs).toEqual({ json: { title: 'Scan', text: '{"title":"Scan"}' } });
  });
});
