import type { Json } from '@baton/primitives';
import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { cancelledMessage } from '../failure.ts';
import { type CallResult, type SimulatedCall, play } from '../play/play.ts';
import { begin, evolve } from '../state/evolve.ts';
import { Trace } from '../state/trace.ts';
import { runSentence, sentenceInput } from './runSentence.ts';

/** What is said of a run that succeeds, after the number of its steps. */
function changesOf(steps: string): string {
  const plan = planOf(`workflow: w\nsteps:\n${steps}`, { 's/read': 'read', 's/again': 'idempotent' });
  const { run, journal } = play(plan, {
    answer: ({ target }) =>
      target === 's/fails'
        ? { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' }
        : { result: { content: [] } },
  });
  expect(run.status).toBe('succeeded');
  return runSentence(sentenceInput(run), Trace.of(journal).steps, 0).replace(
    /^\d+ steps? succeeded in \S+ ms(?:\. |, and )/,
    '',
  );
}

test.each([
  ['  - tool: s/read\n', 'It changed nothing in the world.'],
  ['  - tool: s/again\n', 'It made 1 idempotent call.'],
  ['  - tool: s/one\n  - tool: s/two\n  - tool: s/again\n', 'It made 2 writes and 1 idempotent call.'],
  [
    '  - { tool: s/fails, onError: ignore }\n',
    '1 failed without ending it. 1 call that may change something did not succeed.',
  ],
  ['  - { workflow: other }\n', 'See its 1 child run for what was done there.'],
])('a run that succeeded tells what it changed: %j', (steps, told) => {
  expect(changesOf(steps)).toBe(told);
});

test('a question that the reader sees beside the sentence is not repeated in it', () => {
  const { run, journal } = play(planOf('workflow: w\nsteps:\n  - { id: review, ask: "Publish it?" }\n'));
  const { steps } = Trace.of(journal);
  expect(runSentence(sentenceInput(run), steps, 0)).toBe('review waits for an answer to “Publish it?”.');
  expect(runSentence(sentenceInput(run), steps, 0, { isQuestionShown: true })).toBe('review waits for an answer.');
});

test('The sentence of a run with several open questions says how many there are beside the one that it quotes.', () => {
  const asks = (count: number): string => {
    const text = `workflow: w\nsteps:\n  - forEach: "\${{ ${JSON.stringify(Array.from({ length: count }, (_, n) => n))} }}"\n    id: all\n    maxParallel: 9\n    steps: [{ id: q, ask: Publish it? }]\n`;
    const { run, journal } = play(planOf(text));
    return runSentence(sentenceInput(run), Trace.of(journal).steps, 0);
  };
  expect([1, 2, 5].map(asks)).toEqual([
    'all/0/q waits for an answer to “Publish it?”.',
    'all/0/q waits for an answer to “Publish it?”. 1 more question waits for an answer.',
    'all/0/q waits for an answer to “Publish it?”. 4 more questions wait for an answer.',
  ]);
});

const bells = (count: number): string =>
  Array.from({ length: count }, (_, n) => `{ id: bell-${n + 1}, wait: { signal: ring-${n + 1} } }`).join(', ');

test.each([
  [2, 'bell-1 waits for the signal ring-1. bell-2 waits for the signal ring-2.'],
  [3, 'bell-1 waits for the signal ring-1. bell-2 waits for the signal ring-2. 1 more step waits.'],
  [4, 'bell-1 waits for the signal ring-1. bell-2 waits for the signal ring-2. 2 more steps wait.'],
])('of %i steps that wait, two are named with what they wait for', (count, told) => {
  const { run, journal } = play(planOf(`workflow: w\nsteps:\n  - parallel: [${bells(count)}]\n`));
  expect(runSentence(sentenceInput(run), Trace.of(journal).steps, 0)).toBe(told);
});

test('the steps that act are counted, and not the blocks around them', () => {
  const plan = planOf(`
workflow: w
steps:
  - parallel: [{ id: a, tool: s/read }, { id: b, steps: [{ tool: s/read }] }]
  - { forEach: "\${{ [1, 2] }}", steps: [{ set: { x: 1 } }] }
`);
  const { run, journal } = play(plan, { answer: () => ({ result: { content: [] } }) });
  expect(runSentence(sentenceInput(run), Trace.of(journal).steps, 0)).toMatch(/^4 steps succeeded/);
});

test.each([
  [undefined, 'It was cancelled by Ada (1).'],
  ['the order was wrong', 'It was cancelled by Ada (1): the order was wrong.'],
])('a cancelled run tells who cancelled it, and why: %s', (reason, told) => {
  const { journal } = play(planOf('workflow: w\nsteps:\n  - { tool: s/read }\n'));
  const [requested] = journal;
  if (requested === undefined) throw new Error('There is no journal.');
  const cancel = { type: 'run.cancelRequested', at: 1, by: 'Ada (1)', ...(reason && { reason }) } as const;
  const before = evolve(begin('r', requested), cancel);
  expect(runSentence(sentenceInput(before), [], 0)).toBe('Ada (1) cancelled it before it began.');
  const failure = { code: 'cancelled', message: reason ?? cancelledMessage } as const;
  const after = evolve(before, { type: 'run.finished', at: 2, status: 'cancelled', failure });
  expect(runSentence(sentenceInput(after), [], 0)).toBe(told);
});

const undoes = (ending: CallResult, more = ''): string => {
  const file = `workflow: w\nsteps:\n  - { id: a, tool: s/a, undo: { tool: s/ua } }\n  - { id: b, tool: s/b, undo: { tool: s/ub${more} } }\n  - { fail: Enough. }\n`;
  const answer = ({ target }: SimulatedCall) => (target === 's/ub' ? ending : { result: { content: [] } });
  const { run, journal } = play(planOf(file), { answer });
  return runSentence(sentenceInput(run), Trace.of(journal).steps, 0).replace(/^.*?Enough\. /, '');
};

const endsWith = (code: string, delivery: 'answered' | 'unsent' | 'unknown'): CallResult => ({
  failure: { code, message: 'No.' },
  delivery,
});

test.each([
  ['answers', { result: { content: [] } }, '', '2 steps were undone.'],
  ['answers an error', endsWith('tool-failed', 'answered'), '', '1 step was undone. b could not be undone.'],
  ['is refused', endsWith('tool-changed', 'unsent'), '', '1 step was undone. b could not be undone.'],
  ['loses its answer', endsWith('timeout', 'unknown'), '', '1 step was undone. b may or may not have been undone.'],
  [
    'fails and is ignored',
    endsWith('tool-failed', 'answered'),
    ', onError: ignore',
    '1 step was undone. b could not be undone.',
  ],
  ['fails and is handled', endsWith('tool-failed', 'answered'), ', onError: [{ tool: s/h }]', '2 steps were undone.'],
  ['is skipped', { result: { content: [] } }, ', if: 1 > 2', '1 step was undone.'],
  [
    'is not what it ensures',
    { result: { content: [] } },
    ', ensure: [{ tool: s/r, effect: read, that: 1 > 2 }]',
    '1 step was undone. b could not be undone.',
  ],
] as const)('The sentence of a run says what became of an undo that %s.', (_, ending, more, told) => {
  expect(undoes(ending, more)).toBe(told);
});

test.each([', onError: ignore', ', onError: [{ match: [tool-failed], steps: [] }]'])(
  'The sentence of a run whose outputs fail blames no step that failed without ending it: %j',
  (handling) => {
    const file = `workflow: w\ninputs: { d: { type: array, default: [] } }\nsteps: [{ id: a, tool: s/a${handling} }]\noutputs: { m: "\${{ max(inputs.d) }}" }`;
    const { run, journal } = play(planOf(file), { answer: () => endsWith('tool-failed', 'answered') });
    expect(runSentence(sentenceInput(run), Trace.of(journal).steps, 0)).toMatch(/^It failed: outputs\.m: /);
  },
);

test('A wait that expires says why the last signal that came was not taken.', () => {
  const said = (payload: Json): string => {
    const file = 'workflow: w\nsteps: [{ id: w, wait: { signal: go, match: signal.n > 1, timeout: 1h } }]';
    const sent = { type: 'signal.received', name: 'go', payload, by: 'Ada' } as const;
    const { run, journal } = play(planOf(file), {
      outside: (now, round) => (round === 0 ? [{ ...sent, at: now.at }] : []),
    });
    return runSentence(sentenceInput(run), Trace.of(journal).steps, 0);
  };
  expect(said({ n: 1 })).toMatch(
    /No signal "go" came in time that fits; of 1 that came, the last was not taken: it does not match\./,
  );
  expect(said('x')).toMatch(/the last was not taken: match: .*text/);
});

test('The sentence of a cancelled run says what could not be undone.', () => {
  const file = 'workflow: w\nsteps: [{ id: a, tool: s/a, undo: { tool: s/ua } }, { wait: 1h }]';
  const { run, journal } = play(planOf(file), {
    answer: ({ target }) => (target === 's/ua' ? endsWith('tool-failed', 'answered') : { result: { content: [] } }),
    outside: (now, round) => (round === 1 ? [{ type: 'run.cancelRequested', at: now.at, by: 'Ada' }] : []),
  });
  expect(runSentence(sentenceInput(run), Trace.of(journal).steps, 0)).toBe(
    'It was cancelled by Ada. a could not be undone.',
  );
});

test('The sentence of a run says of a call with unknown outcome that it may or may not have happened.', () => {
  const said = (more: string): string => {
    const { run, journal } = play(planOf(`workflow: w\nsteps: [{ id: added, tool: s/add${more} }]`), {
      answer: () => endsWith('timeout', 'unknown'),
    });
    return runSentence(sentenceInput(run), Trace.of(journal).steps, 0);
  };
  expect(said('')).toMatch(
    /^added: The call to s\/add may or may not have happened: find out at the server before it is done again\. It was/,
  );
  expect(said(', onError: ignore')).toMatch(/ 1 call may or may not have happened\.$/);
});
