/**
 * Questions that come from elsewhere than an `ask`: from a server in the middle of a call, and to the caller's model.
 */
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type PlayOptions, play } from './play/play.ts';
import type { RunEvent } from './state/event.ts';
import { rowOf } from './state/row.ts';
import type { Run } from './state/run.ts';

const question = { message: 'Which account?', form: { type: 'object', properties: { account: { type: 'string' } } } };

const stateOf = (run: Run, key: string) => run.frames.get('@main')?.steps.get(key);

describe('a question that a server asks during its call', () => {
  const plan = planOf(`
workflow: w
steps:
  - { id: a, tool: s/t, effect: read }
`);
  const asking =
    (answers: readonly string[]): NonNullable<PlayOptions['outside']> =>
    (run, round) => {
      const base = { at: run.at, path: 'a' };
      if (round === 0) return [{ type: 'question.asked', ...base, attempt: 1, question }];
      const account = answers[round - 1];
      return account === undefined ? [] : [{ type: 'question.answered', ...base, answer: { account }, by: 'ada' }];
    };
  const questionsAfter = (
    outside: NonNullable<PlayOptions['outside']>,
  ): { run: Run; seen: readonly number[]; told: unknown } => {
    const seen: number[] = [];
    let told: unknown;
    const watching: PlayOptions['outside'] = (run, round) => {
      seen.push(run.questions);
      const state = stateOf(run, 'a');
      if (state?.status === 'running') told = state.asked?.answer;
      return outside(run, round);
    };
    return { ...play(plan, { outside: watching, answer: () => ({ result: {}, takesMs: 100 }) }), seen, told };
  };

  test('is a question of the run until it is answered, and the first answer counts', () => {
    const { run, seen, told } = questionsAfter(asking(['savings', 'other']));
    expect(seen).toEqual([0, 1, 0, 0]);
    expect(told).toEqual({ account: 'savings' });
    expect([run.status, run.questions]).toEqual(['succeeded', 0]);
  });

  test('is over with the call, answered or not', () => {
    const { run, seen } = questionsAfter(asking([]));
    expect(seen).toEqual([0, 1]);
    expect([run.status, run.questions]).toEqual(['succeeded', 0]);
  });
});

describe('[L-063] a sample `via: caller`', () => {
  const plan = planOf(`
workflow: w
steps:
  - id: a
    sample: { append: "Well?", via: caller }
    timeout: 1m
    budget: { usd: 1 }
outputs: { text: "\${{ steps.a.text }}" }
`);
  const called = { trigger: { kind: 'mcp' } } as const;
  const answering = (
    answer: Pick<Extract<RunEvent, { type: 'sample.answered' }>, 'value' | 'failure' | 'usage'>,
  ): PlayOptions => ({
    ...called,
    outside: (run) => {
      const state = stateOf(run, 'a');
      const isOpen = state?.status === 'waiting' && state.arrived === undefined;
      return isOpen ? [{ type: 'sample.answered', at: run.at, path: 'a', by: 'client', ...answer }] : [];
    },
  });

  test('waits for the calling client, and outputs the answer of its model', () => {
    const result = { role: 'assistant', content: { type: 'text', text: 'Yes.' }, model: 'theirs' };
    const { run, calls, journal } = play(plan, answering({ value: { json: result } }));
    expect(rowOf(run).outputs).toEqual({ json: { text: 'Yes.' } });
    expect(calls).toEqual([]);
    expect(journal.find((event) => event.type === 'step.waiting')).toMatchObject({
      awaiting: { for: 'sample', request: { json: { messages: [{ role: 'user', content: { text: 'Well?' } }] } } },
    });
  });

  test.each([
    ['the client refuses', answering({ failure: { code: 'model-failed', message: 'Not now.' } }), 'model-failed'],
    ['no answer comes in time', called, 'timeout'],
    ['no client called', {}, 'caller-absent'],
    ['it cost more than it may', answering({ value: { json: {} }, usage: { usd: 2 } }), 'budget-exceeded'],
  ])('fails where %s', (_, options: PlayOptions, code) => {
    expect(rowOf(play(plan, options).run).failure).toMatchObject({ code, step: 'a' });
  });
});
