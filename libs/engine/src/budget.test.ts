import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import type { RunEvent } from './state/event.ts';
import { rowOf } from './state/row.ts';
import { Trace } from './state/trace.ts';

const end = (journal: readonly RunEvent[]): RunEvent | undefined => journal.at(-1);
const made = (calls: readonly SimulatedCall[]): string[] => calls.map(({ path }) => path);

const costing =
  (usd: number): ((made: SimulatedCall) => CallResult) =>
  ({ verb }) =>
    verb === 'sample'
      ? {
          result: { role: 'assistant', content: { type: 'text', text: 'Yes.' } },
          usage: { usd, inputTokens: 10, outputTokens: 5 },
        }
      : { result: textResult({}) };

describe('[L-044] the budget of a run', () => {
  test('fails it when more was spent, and no further call is sent', () => {
    const { journal, calls, run } = play(
      planOf(`
workflow: w
budget: { usd: 1 }
steps:
  - { id: a, sample: { append: "?" } }
  - { id: b, sample: { append: "?" } }
  - { id: c, tool: s/c }
`),
      { answer: costing(0.6) },
    );
    expect(made(calls)).toEqual(['a', 'b']);
    expect(run.spent).toEqual({ toolCalls: 0, tokens: 30, usd: 1.2 });
    expect(end(journal)).toMatchObject({
      status: 'failed',
      failure: { code: 'budget-exceeded', message: 'The run spent 1.2 of 1 USD.' },
    });
  });

  test('a call of a tool that is one too many is not made', () => {
    const { journal, calls } = play(
      planOf(`
workflow: w
budget: { toolCalls: 1 }
steps:
  - { id: a, tool: s/t }
  - { id: b, tool: s/t }
`),
    );
    expect(made(calls)).toEqual(['a']);
    expect(end(journal)).toMatchObject({ status: 'failed', failure: { code: 'budget-exceeded' } });
    expect(Trace.of(journal).step('b')?.status).toBe('cancelled');
  });
});

describe('the budget of a step', () => {
  test('fails a sample that cost more, and the run goes on where its failure is handled', () => {
    const { run } = play(
      planOf(`
workflow: w
steps:
  - id: a
    sample: { append: "?" }
    budget: { usd: 0.4 }
    onError: ignore
outputs: { code: "\${{ steps.a.error.code }}" }
`),
      { answer: costing(0.5) },
    );
    expect(rowOf(run).outputs).toEqual({ json: { code: 'budget-exceeded' } });
    expect(run.spent.usd).toBe(0.5);
  });

  test.each([
    [
      'parallel',
      'parallel: [{ id: p, tool: s/t }, { id: q, tool: s/t, needs: [p] }, { id: r, tool: s/t, needs: [q] }]',
    ],
    ['forEach', '{ forEach: [1, 2, 3], maxParallel: 1, steps: [{ tool: s/t }] }'],
    ['repeat', 'repeat: { max: 3, steps: [{ tool: s/t }] }'],
    ['switch', 'switch: [{ when: "run.workflow == \'w\'", steps: [{ tool: s/t }, { tool: s/t }, { tool: s/t }] }]'],
  ])('holds for all that is inside a %s', (_, verb) => {
    const inner = verb.startsWith('{') ? verb.slice(1, -1).trim() : verb;
    const { journal, calls } = play(
      planOf(`{ workflow: w, steps: [{ id: all, budget: { toolCalls: 2 }, ${inner} }, { id: after, tool: s/after }] }`),
    );
    expect(calls.length).toBe(2);
    expect(end(journal)).toMatchObject({ status: 'failed', failure: { code: 'budget-exceeded', step: 'all' } });
  });

  test('is what a child run may spend, and what is left of the budgets around it; what it spent counts', () => {
    const { journal, run } = play(
      planOf(`
workflow: w
budget: { usd: 1, tokens: 100 }
steps:
  - { id: a, sample: { append: "?" } }
  - { id: c, workflow: other, budget: { usd: 0.9, toolCalls: 5 } }
  - { id: d, workflow: other, budget: { usd: 9 }, await: false }
`),
      { answer: costing(0.25), childSpent: { usd: 0.5, tokens: 40, toolCalls: 2 } },
    );
    const asked = journal.filter((event) => event.type === 'step.waiting').map(({ awaiting }) => awaiting);
    expect(asked).toMatchObject([
      { budget: { usd: 0.75, tokens: 85, toolCalls: 5 } },
      { budget: { usd: 9 }, detached: true },
    ]);
    // What one that is not awaited spends is its own.
    expect(asked[1]).not.toHaveProperty('budget.tokens');
    expect(run.spent).toEqual({ usd: 0.75, tokens: 55, toolCalls: 2 });
  });
});
