import type { DecidedEffect, KeySupport } from '@baton/language';
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { judge } from './decide/judge.ts';
import { type CallResult, type SimulatedCall, type SimulatedRun, play } from './play/play.ts';
import { replay } from './state/evolve.ts';
import { stateAt } from './state/locate.ts';
import { Trace } from './state/trace.ts';
import { failing, one, outcome, paths } from './testing/oneCall.ts';

describe('an unknown outcome', () => {
  const lostOnce: (made: SimulatedCall) => CallResult = ({ attempt, target }) =>
    target === 's/t' && attempt === 1
      ? { failure: { code: 'connection-lost', message: 'The stream broke.' }, delivery: 'unknown' }
      : { result: textResult({ found: ['x'] }) };

  test('a read is simply made again', () => {
    const { run, calls } = play(planOf(one(), { 's/t': 'read' }), { answer: lostOnce });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a#2']]);
  });

  test('[L-084] a write fails, naming the call that may or may not have happened', () => {
    const { journal, calls } = play(planOf(one()), { answer: lostOnce });
    expect(paths(calls)).toEqual(['a#1']);
    expect(outcome(journal)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'outcome-unknown',
        step: 'a',
        message:
          'The call to s/t may or may not have happened: find out at the server before it is done again. It was sent, and its answer is lost (connection-lost: The stream broke).',
        details: { lost: { code: 'connection-lost', message: 'The stream broke.' } },
      },
    });
    expect(Trace.of(journal).step('a')?.status).toBe('unknown');
  });

  test('[L-084] `ifUnknown: retry` makes it again', () => {
    const { run, calls } = play(planOf(one('    ifUnknown: retry')), { answer: lostOnce });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a#2']]);
  });

  test('[L-084] `ifUnknown: retry` makes it no more often than `retry.attempts` says', () => {
    const neverKnown = (): CallResult => ({
      failure: { code: 'connection-lost', message: 'The stream broke.' },
      delivery: 'unknown',
    });
    const plan = planOf(one('    ifUnknown: retry\n    retry: { attempts: 3 }'));
    const { journal, calls } = play(plan, { answer: neverKnown });
    expect(paths(calls)).toEqual(['a#1', 'a#2', 'a#3']);
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'outcome-unknown' } });
  });

  const checked = one(`    ifUnknown: check
    check: { tool: s/search, happened: size(result.output.found) > 0 }`);

  test('[L-084] `ifUnknown: check` finds that it happened, and does not make it again', () => {
    const { run, calls } = play(planOf(checked), { answer: lostOnce });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a/@check1/tool-1#1']]);
  });

  test('`ifUnknown: check` finds that it did not happen, and makes it again', () => {
    const answer: (made: SimulatedCall) => CallResult = (made) =>
      made.target === 's/search' ? { result: textResult({ found: [] }) } : lostOnce(made);
    const { run, calls } = play(planOf(checked), { answer });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a/@check1/tool-1#1', 'a#2']]);
  });

  const foundNothing: (made: SimulatedCall) => CallResult = (made) =>
    made.target === 's/search' ? { result: textResult({ found: [] }) } : failing(2, 'unknown', 'connection-lost')(made);
  const failsToSearch: (made: SimulatedCall) => CallResult = (made) =>
    made.target === 's/search' ? failing(9, 'answered')(made) : lostOnce(made);

  test.each([
    [
      'finds each time that it did not happen',
      '',
      foundNothing,
      ['a#1', 'a/@check1/tool-1#1', 'a#2', 'a/@check2/tool-1#1'],
      'Its check found that it did not happen; no attempt is left.',
    ],
    ['fails', '', failsToSearch, ['a#1', 'a/@check1/tool-1#1'], 'Its check did not decide it: it failed ('],
    [
      'cannot be evaluated',
      'size(result.output.none) > 0',
      lostOnce,
      ['a#1', 'a/@check1/tool-1#1'],
      'Its check did not decide it: it could not be evaluated (',
    ],
  ])(
    '`ifUnknown: check` that %s leaves the outcome unknown, and the failure says why',
    (_, happened, answer, made, why) => {
      const text = happened === '' ? checked : checked.replace('size(result.output.found) > 0', happened);
      const plan = planOf(text.replace('    ifUnknown', '    retry: { attempts: 2 }\n    ifUnknown'));
      const { journal, calls } = play(plan, { answer });
      expect(paths(calls)).toEqual(made);
      const message = expect.stringContaining(why) as string;
      expect(outcome(journal)).toMatchObject({
        status: 'failed',
        failure: { code: 'outcome-unknown', step: 'a', message },
      });
    },
  );

  test.each(['result.output.none', 'result.output.word'])(
    'a check whose condition is %s says nothing: the call is not made again',
    (happened) => {
      const answer: (made: SimulatedCall) => CallResult = (made) =>
        made.target === 's/search' ? { result: textResult({ none: null, word: 'yes' }) } : lostOnce(made);
      const plan = planOf(checked.replace('size(result.output.found) > 0', happened));
      const { journal, calls } = play(plan, { answer });
      expect(paths(calls)).toEqual(['a#1', 'a/@check1/tool-1#1']);
      expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'outcome-unknown' } });
    },
  );

  test('a call that a check finds not to have happened is made once more without retries', () => {
    const answer: (made: SimulatedCall) => CallResult = (made) =>
      made.target === 's/search' ? { result: textResult({ found: [] }) } : lostOnce(made);
    const { run, calls } = play(planOf(checked.replace('    ifUnknown', '    retry: { attempts: 1 }\n    ifUnknown')), {
      answer,
    });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a/@check1/tool-1#1', 'a#2']]);
  });

  test('a write of which a check finds that it happened is undone where the run fails later', () => {
    const undo = checked.replace('    ifUnknown', '    undo: { tool: s/undo }\n    ifUnknown');
    const { calls } = play(planOf(undo.replace('outputs:', '  - { fail: It is too late. }\noutputs:')), {
      answer: lostOnce,
    });
    expect(calls.map(({ target }) => target)).toEqual(['s/t', 's/search', 's/undo']);
  });

  test('a step is tried again though an answer that came late would now keep it from beginning', () => {
    const text = `
workflow: w
steps:
  - { id: x, tool: s/t, onError: ignore }
  - { id: a, if: steps.x.status == "unknown", tool: s/a, retry: { attempts: 2 } }
`;
    const { run, calls } = play(planOf(text, { 's/a': 'read' }), {
      answer: (made) => (made.path === 'x' ? lostOnce(made) : failing(1, 'unsent', 'server-overloaded')(made)),
      outside: (now) => {
        const isLate = stateAt(now, 'a')?.status === 'retrying' && stateAt(now, 'x')?.status === 'unknown';
        const value = { json: textResult('late') };
        return isLate ? [{ type: 'step.succeeded', at: now.at, path: 'x', verb: 'tool', attempt: 1, value }] : [];
      },
    });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['x#1', 'a#1', 'a#2']]);
  });

  test('no attempt begins in a run that is cancelled, though a person says that it did not happen', () => {
    const { run, journal } = play(planOf(one('    ifUnknown: ask')), {
      answer: lostOnce,
      outside: ({ questions, at }) =>
        questions === 0
          ? []
          : [
              { type: 'question.answered', at, path: 'a', answer: { happened: false }, by: 'ada' },
              { type: 'run.cancelRequested', at, by: 'ada' },
            ],
    });
    const begun = journal.flatMap((event) => (event.type === 'step.started' ? [event.attempt] : []));
    expect([run.status, begun]).toEqual(['cancelled', [1]]);
  });

  test.each([
    ['happened', { happened: true, output: { id: 7 } }, ['a#1']],
    ['did not happen', { happened: false }, ['a#1', 'a#2']],
  ])('`ifUnknown: ask` takes the word of a person who says that it %s', (_, answer, made) => {
    const { run, calls, journal } = play(planOf(one('    ifUnknown: ask')), {
      answer: lostOnce,
      outside: ({ questions, at }) =>
        questions > 0 ? [{ type: 'question.answered', at, path: 'a', answer, by: 'ada' }] : [],
    });
    expect([run.status, paths(calls)]).toEqual(['succeeded', made]);
    const message =
      'Did the call to s/t happen? It was sent, and its answer is lost (connection-lost: The stream broke).';
    expect(journal).toContainEqual(
      expect.objectContaining({ awaiting: { for: 'answer', question: { message, form: expect.anything() } } }),
    );
  });

  test.each([
    [{ id: 7 }, '{"id":7}'],
    ['paid', 'paid'],
    [undefined, ''],
  ])('A step reads as text what a person says that a lost call answered: %j', (output, text) => {
    const answer = { happened: true, ...(output !== undefined && { output }) };
    const { run } = play(planOf(one('    ifUnknown: ask')), {
      answer: lostOnce,
      outside: ({ questions, at }) =>
        questions > 0 ? [{ type: 'question.answered', at, path: 'a', answer, by: 'ada' }] : [],
    });
    expect(run).toMatchObject({ outputs: { json: { a: text } } });
  });

  describe('of a write whose server honours keys', () => {
    const by = (idempotency: KeySupport): Record<string, DecidedEffect> => ({
      's/t': { effect: 'write', from: 'default', idempotency },
    });
    const sent = ({ journal }: SimulatedRun) =>
      journal.flatMap((event) => (event.type === 'step.started' && event.call?.verb === 'tool' ? [event.call] : []));

    test('the call is made again, within `retry`, with the same key', () => {
      const played = play(planOf(one(), by({ argument: 'key' })), { answer: lostOnce });
      expect([played.run.status, paths(played.calls)]).toEqual(['succeeded', ['a#1', 'a#2']]);
      const key = { added: { key: `${played.run.id}/a` }, isKeyed: true };
      expect(sent(played)).toMatchObject([key, key]);
    });

    test('also where the step says its effect itself, and where the worker dies', () => {
      const plan = planOf(one('    effect: write'), by('meta'));
      expect(paths(play(plan, { answer: lostOnce }).calls)).toEqual(['a#1', 'a#2']);
      const dies = ({ attempt }: SimulatedCall): CallResult =>
        attempt === 1 ? { workerDies: true } : { result: textResult('ok') };
      expect(paths(play(plan, { answer: dies }).calls)).toEqual(['a#1', 'a#2']);
    });

    test('no attempt is left: the outcome is unknown, as without', () => {
      const plan = planOf(one('    retry: { attempts: 2 }'), by('meta'));
      const { journal, calls } = play(plan, { answer: failing(9, 'unknown', 'connection-lost') });
      expect(paths(calls)).toEqual(['a#1', 'a#2']);
      expect(outcome(journal)).toMatchObject({ failure: { code: 'outcome-unknown' } });
    });

    test('a call that answered is not made again', () => {
      const { calls } = play(planOf(one(), by('meta')), { answer: failing(9, 'answered', 'server-error') });
      expect(paths(calls)).toEqual(['a#1']);
    });

    test('a call that was told to stop is not made again: its outcome is unknown', () => {
      const plan = planOf(one(), by('meta'));
      const begun = replay('r', play(plan, { answer: lostOnce }).journal.slice(0, 3));
      const failure = { code: 'connection-lost', message: 'It ended.' };
      const lost = { path: 'a', attempt: 1, at: begun.at, outcome: 'failed', failure, delivery: 'unknown' } as const;
      expect(judge(plan, begun, lost)).toMatchObject([{ type: 'step.retrying' }]);
      expect(judge(plan, begun, { ...lost, aborted: true })).toMatchObject([{ type: 'step.unknown' }]);
    });

    test('the key is the author’s where there is one, and there is none where it is no text', () => {
      const own = planOf(one('    key: "order-7"'), by({ argument: 'key' }));
      expect(sent(play(own, { answer: lostOnce }))).toMatchObject([{ added: { key: 'order-7' } }, { isKeyed: true }]);
      // `n` is what the author writes: the number 1.
      const none = planOf(one(), by({ argument: 'n' }));
      const played = play(none, { answer: lostOnce });
      expect(paths(played.calls)).toEqual(['a#1']);
      expect(sent(played)[0]).not.toHaveProperty('isKeyed');
    });
  });

  test('a worker that dies in a write leaves it unknown, in a read it is made again', () => {
    const dies: (made: SimulatedCall) => CallResult = ({ attempt }) =>
      attempt === 1 ? { workerDies: true } : { result: textResult('ok') };
    expect(outcome(play(planOf(one()), { answer: dies }).journal)).toMatchObject({
      status: 'failed',
      failure: { code: 'outcome-unknown' },
    });
    const { run, calls } = play(planOf(one(), { 's/t': 'read' }), { answer: dies });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a#2']]);
  });

  test('a worker’s death does not use up an attempt: a read of a single one is made again', () => {
    const { run, calls } = play(planOf(one('    retry: { attempts: 1 }'), { 's/t': 'read' }), {
      answer: ({ attempt }) => (attempt === 1 ? { workerDies: true } : { result: textResult('ok') }),
    });
    expect([run.status, paths(calls)]).toEqual(['succeeded', ['a#1', 'a#2']]);
  });

  test('a run that kills several workers in a row is set aside, and nothing is undone', () => {
    const done = '  - { id: paid, tool: s/pay, undo: { tool: s/refund } }\n';
    const plan = planOf(one().replace('steps:\n', `steps:\n${done}`), { 's/t': 'read' });
    const { journal, calls } = play(plan, {
      answer: ({ target }) => (target === 's/t' ? { workerDies: true } : { result: textResult('ok') }),
    });
    expect(paths(calls)[0]).toBe('paid#1');
    expect(calls.map(({ target }) => target)).not.toContain('s/refund');
    const message = expect.stringMatching(/^3 workers in a row died/) as string;
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'run-poisonous', message } });
  });
});
