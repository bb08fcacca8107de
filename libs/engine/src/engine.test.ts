import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import { rowOf } from './state/row.ts';
import type { UnfinishedRun } from './state/run.ts';
import { Trace } from './state/trace.ts';
import { failing, one, outcome, paths } from './testing/oneCall.ts';

describe('a list of steps', () => {
  test('[L-010 L-048 L-068 L-078] runs top to bottom, hands outputs on, and succeeds with its outputs', () => {
    const plan = planOf(`
workflow: w
inputs: { who: { type: string } }
steps:
  - id: greet
    tool: s/greet
    with: { name: "\${{ inputs.who }}" }
  - id: note
    set: { length: "\${{ size(steps.greet.output.text) }}" }
  - id: skipped
    if: steps.note.length > 100
    tool: s/never
outputs: { text: "\${{ steps.greet.output.text }}", length: "\${{ steps.note.length }}", last: "\${{ steps.skipped.status }}" }
`);
    const { run, calls } = play(plan, {
      inputs: { who: 'Ada' },
      answer: ({ arguments: given }) => ({ result: textResult({ text: `Hello, ${JSON.stringify(given['name'])}` }) }),
    });
    expect(rowOf(run).outputs).toEqual({ json: { text: 'Hello, "Ada"', length: 12, last: 'skipped' } });
    expect(paths(calls)).toEqual(['greet#1']);
  });

  test('an expression that fails at run time fails the step, and says which', () => {
    const { journal } = play(
      planOf(`
workflow: w
steps:
  - id: a
    tool: s/t
  - id: b
    set: { x: "\${{ steps.a.output.missing.deeper }}" }
`),
    );
    expect(outcome(journal)).toMatchObject({
      status: 'failed',
      failure: { code: 'expression-failed', step: 'b', details: { at: '/steps/1/set/x' } },
    });
  });

  test('an expression that fails names its key, the value that it found, and a hint that fits', () => {
    const { journal } = play(
      planOf(`
workflow: w
steps:
  - id: a
    tool: s/t
  - id: b
    tool: s/t
    with: { rows: ["\${{ int(steps.a.text) }}"] }
`),
      { answer: () => ({ result: { content: [{ type: 'text', text: 'Echo: a,b' }] } }) },
    );
    expect(outcome(journal)).toMatchObject({
      failure: {
        message: 'with.rows[0]: `int(steps.a.text)`: the text "Echo: a,b" cannot be read as an integer, such as "42".',
        details: { at: '/steps/1/with/rows/0', hint: expect.stringContaining('int(x)') },
      },
    });
  });
});

describe('a call that fails', () => {
  test('[L-082 L-087] a read is tried again until its attempts are used up', () => {
    const plan = planOf(one('    retry: { attempts: 3 }'), { 's/t': 'read' });
    expect(paths(play(plan, { answer: failing(2, 'answered', 'server-error') }).calls)).toEqual(['a#1', 'a#2', 'a#3']);
    expect(outcome(play(plan, { answer: failing(3, 'answered', 'server-error') }).journal)).toMatchObject({
      status: 'failed',
      failure: { code: 'server-error', step: 'a' },
    });
  });

  test('[L-083] a write that ran and failed is not tried again', () => {
    const { calls, run } = play(planOf(one()), { answer: failing(1, 'answered') });
    expect(paths(calls)).toEqual(['a#1']);
    expect(run.status).toBe('failed');
  });

  test('[L-083] a write that was not sent is tried again', () => {
    const { calls, run } = play(planOf(one()), { answer: failing(2, 'unsent', 'server-unreachable') });
    expect(paths(calls)).toEqual(['a#1', 'a#2', 'a#3']);
    expect(run.status).toBe('succeeded');
  });

  test('a failure that a retry cannot help is not retried', () => {
    const plan = planOf(one(), { 's/t': 'read' });
    expect(paths(play(plan, { answer: failing(1, 'unsent', 'invalid-arguments') }).calls)).toEqual(['a#1']);
  });

  test('[L-087] the pause grows, is never longer than the policy says, and is the same on replay', () => {
    const policy = '    retry: { attempts: 6, delay: 1s, maxDelay: 5s, backoff: exponential, jitter: true }';
    const plan = planOf(one(policy), { 's/t': 'read' });
    const pauses = (): number[] =>
      play(plan, { answer: failing(5, 'answered', 'server-error') }).journal.flatMap((event) =>
        event.type === 'step.retrying' ? [event.resumeAt - event.at] : [],
      );
    const first = pauses();
    expect(first).toEqual(pauses());
    [1000, 2000, 4000, 5000, 5000].forEach((full, index) => {
      expect(first[index]).toBeLessThanOrEqual(full);
      expect(first[index]).toBeGreaterThanOrEqual(full / 2);
    });
  });
});

describe('`failIf`', () => {
  const failIf = `    failIf: has(result.output.error)`;
  const offline = { result: textResult({ error: 'fetch failed' }) };
  const thenFine = ({ attempt }: SimulatedCall): CallResult => (attempt === 1 ? offline : { result: textResult('ok') });

  test('makes a failure of an answer: the message names the expression and repeats the answer', () => {
    const { journal, calls } = play(planOf(one(failIf)), { answer: () => offline });
    expect(paths(calls)).toEqual(['a#1']);
    const message =
      'The tool answered what `failIf: has(result.output.error)` says is a failure: {"error":"fetch failed"}';
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'tool-failed', step: 'a', message } });
  });

  test('lets any other answer through', () => {
    expect(play(planOf(one(failIf))).run.status).toBe('succeeded');
  });

  test('has a read tried again where `retry.on` says so, and never a write, which has answered', () => {
    const retried = `${failIf}\n    retry: { on: [tool-failed] }`;
    expect(paths(play(planOf(one(retried), { 's/t': 'read' }), { answer: thenFine }).calls)).toEqual(['a#1', 'a#2']);
    expect(paths(play(planOf(one(retried)), { answer: thenFine }).calls)).toEqual(['a#1']);
    expect(paths(play(planOf(one(failIf), { 's/t': 'read' }), { answer: thenFine }).calls)).toEqual(['a#1']);
  });

  test('counts what the attempt spent', () => {
    const retried = `${failIf}\n    retry: { on: [tool-failed] }`;
    const answer = (made: SimulatedCall): CallResult => ({ result: {}, ...thenFine(made), usage: { inputTokens: 5 } });
    expect(play(planOf(one(retried), { 's/t': 'read' }), { answer }).run.spent?.tokens).toBe(10);
  });

  test('that cannot be evaluated fails the step', () => {
    const { journal } = play(planOf(one('    failIf: result.output.error != ""')));
    expect(outcome(journal)).toMatchObject({ status: 'failed', failure: { code: 'expression-failed', step: 'a' } });
  });
});

describe('a failure', () => {
  test('[L-090] `onError: ignore` goes on', () => {
    const { run } = play(
      planOf(`
workflow: w
steps:
  - id: a
    tool: s/t
    onError: ignore
  - id: b
    set: { saw: "\${{ steps.a.status }}", code: "\${{ steps.a.error.code }}" }
outputs: { b: "\${{ steps.b.output }}" }
`),
      { answer: failing(9, 'answered') },
    );
    expect(rowOf(run).outputs).toEqual({ json: { b: { saw: 'failed', code: 'tool-failed' } } });
  });

  test('[L-090 L-091] a handler that matches takes it, others do not', () => {
    const text = (code: string): string => `
workflow: w
steps:
  - id: a
    tool: s/t
    onError:
      - match: [${code}]
        steps:
          - id: note
            set: { message: "\${{ error.message }}", at: "\${{ error.step }}" }
  - id: after
    set: { x: 1 }
`;
    expect(play(planOf(text('tool-failed')), { answer: failing(9, 'answered') }).run.status).toBe('succeeded');
    expect(play(planOf(text('timeout')), { answer: failing(9, 'answered') }).run.status).toBe('failed');
  });

  test('[L-092 L-046 L-047] undoes what was done, last first; then `onFailure`; then `finally`', () => {
    const { calls, journal } = play(
      planOf(`
workflow: w
steps:
  - id: a
    tool: s/a
    undo: { tool: s/unA, with: { id: "\${{ steps.a.output.id }}" } }
  - id: each
    forEach: [1, 2, 3]
    as: n
    maxParallel: 1
    steps:
      - id: b
        tool: s/b
        with: { n: "\${{ n }}" }
        undo: { tool: s/unB, with: { n: "\${{ n }}" } }
  - id: boom
    fail: "Nothing works at \${{ steps.a.output.id }}"
    code: my-code
onFailure:
  - id: tell
    tool: s/tell
    with: { code: "\${{ error.code }}" }
finally:
  - id: close
    tool: s/close
`),
      { answer: () => ({ result: textResult({ id: 42 }) }) },
    );
    expect(calls.slice(4).map(({ target, arguments: given }) => [target, given])).toEqual([
      ['s/unB', { n: 3 }],
      ['s/unB', { n: 2 }],
      ['s/unB', { n: 1 }],
      ['s/unA', { id: 42 }],
      ['s/tell', { code: 'my-code' }],
      ['s/close', {}],
    ]);
    expect(outcome(journal)).toMatchObject({
      status: 'failed',
      failure: { code: 'my-code', message: 'Nothing works at 42', step: 'boom' },
    });
  });

  test('a `finally` that fails spoils a success, and does not hide a failure', () => {
    const text = (first: string): string => `
workflow: w
steps:
  - ${first}
finally:
  - tool: s/t
`;
    const answer = failing(9, 'answered', 'tool-not-found');
    expect(outcome(play(planOf(text('set: { x: 1 }')), { answer }).journal)).toMatchObject({
      status: 'failed',
      failure: { code: 'tool-not-found' },
    });
    expect(outcome(play(planOf(text('fail: first')), { answer }).journal)).toMatchObject({
      failure: { code: 'workflow-failed' },
    });
  });
});

describe('cancelling', () => {
  const text = `
workflow: w
steps:
  - id: a
    tool: s/a
    undo: { tool: s/unA }
  - id: b
    tool: s/b
  - id: c
    tool: s/c
finally:
  - id: close
    tool: s/close
`;
  const cancelDuring = (path: string) => (run: UnfinishedRun) =>
    run.cancel === undefined && run.frames.get('@main')?.steps.has(path) === true
      ? [{ type: 'run.cancelRequested', at: run.at, by: 'ada', reason: 'enough' } as const]
      : [];

  test('[L-092] stops what is active, undoes what was done, runs `finally`, and ends as cancelled', () => {
    const plan = planOf(text, { 's/b': 'read' });
    const { journal, calls } = play(plan, {
      answer: () => ({ result: textResult({}), takesMs: 5 }),
      outside: cancelDuring('b'),
    });
    expect(calls.map(({ target }) => target)).toEqual(['s/a', 's/b', 's/unA', 's/close']);
    expect(outcome(journal)).toMatchObject({ status: 'cancelled' });
    expect(Trace.of(journal).step('b')?.status).toBe('cancelled');
  });

  test('a write that is cut off stays unknown', () => {
    const { journal } = play(planOf(text), {
      answer: () => ({ result: textResult({}), takesMs: 5 }),
      outside: cancelDuring('b'),
    });
    expect(Trace.of(journal).step('b')?.status).toBe('unknown');
    expect(outcome(journal)).toMatchObject({ status: 'cancelled' });
  });
});
