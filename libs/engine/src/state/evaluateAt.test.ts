import { EvaluationError, readExpression } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { play } from '../play/play.ts';
import { evaluateAt } from './evaluateAt.ts';

const plan = planOf(`
workflow: tried
inputs: { factor: { type: integer, default: 3 } }
steps:
  - { id: found, tool: shop/lookup }
  - id: each
    forEach: \${{ [10, 20] }}
    as: price
    steps:
      - { id: times, set: { n: "\${{ price * inputs.factor }}" } }
  - id: broken
    tool: shop/break
    onError:
      - { id: handled, set: { why: "\${{ error.message }}" } }
  - { id: last, set: { done: true } }
`);

const { journal } = play(plan, {
  inputs: { factor: 3 },
  answer: ({ target }) =>
    target === 'shop/break'
      ? { failure: { code: 'tool-failed', message: 'No luck.' }, delivery: 'answered' }
      : { result: { content: [{ type: 'text', text: 'a ring' }] } },
});

const at = (path: string | undefined, text: string, events = journal): Json =>
  evaluateAt({ plan, runId: 'r', journal: events, path }, readExpression(text), () => undefined);

describe('an expression tried on a run', () => {
  test('sees the values that the outputs of the workflow see', () => {
    expect(at(undefined, 'steps.found.text + " for " + string(inputs.factor)')).toBe('a ring for 3');
    expect(at(undefined, '${{ steps.found.text }}!')).toBe('a ring!');
  });

  test('sees the values that a step saw, including its item and failure, which the run no longer holds', () => {
    expect(at('each/1/times', '[price, index, steps.times.n]')).toEqual([20, 1, 60]);
    expect(at('broken/@onError/handled', 'error.message')).toBe('No luck.');
  });

  test('sees the outcome of the step itself, and none that came later', () => {
    expect(at('found', 'steps.found.status')).toBe('succeeded');
    expect(() => at('found', 'steps.last.done')).toThrow(EvaluationError);
  });

  test('sees a run as it was', () => {
    const begun = journal.findIndex((event) => event.type === 'step.started' && event.path === 'found');
    expect(at('found', 'steps.found.status', journal.slice(0, begun + 1))).toBe('running');
  });

  test('sees no secret', () => {
    expect(at('last', 'secrets.TOKEN')).toBe('[secret:TOKEN]');
  });

  test('that cannot be read says why', () => {
    expect(() => at('last', 'inputs.(')).toThrow(EvaluationError);
    expect(() => at('last', 'a ${{ b')).toThrow('has no `}}`');
  });
});
