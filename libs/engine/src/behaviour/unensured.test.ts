/** What follows where an `ensure` could not be read, and where the author lets pass that it is not true. */
import { behaves, cancel, planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { decide } from '../decide/decide.ts';
import { type PlayOptions, type SimulatedCall, type SimulatedRun, play } from '../play/play.ts';
import { runSentence, sentenceInput } from '../say/runSentence.ts';
import { asEnsured } from '../state/ensured.ts';
import type { CancelCause, RunEvent } from '../state/event.ts';
import { replay } from '../state/evolve.ts';
import { stateAt } from '../state/locate.ts';
import { rowOf } from '../state/row.ts';
import type { UnfinishedRun } from '../state/run.ts';
import { Trace } from '../state/trace.ts';

const no = { gives: { ok: false } } as const;
const refused = { fails: 'tool-failed' } as const;

const that = (more = '', tool = 's/r'): string => `{ tool: ${tool}, effect: read, that: result.output.ok${more} }`;

const text = (ok: boolean) => ({ result: { content: [{ type: 'text', text: `{"ok":${ok}}` }] } });

const written = '{ id: a, tool: s/a, undo: { tool: s/ua } }';
const ofStep = (more = ''): string => `{ id: a, tool: s/a, undo: { tool: s/ua }, ensure: [${that()}]${more} }`;
const onFailure = 'onFailure: [{ tool: s/f, with: { c: "${{ error.code }}" } }]';
const undoesNothing = { ends: 'not-verified', ledger: ['s/a', 's/r', 's/f {"c":"not-verified"}'] };

describe('A limit that ends the reading of an `ensure` undoes nothing', () => {
  const hangs = { 's/r': 'hangs' } as const;
  const lists: Readonly<Record<string, string>> = {
    'of a step': `[${ofStep()}]`,
    'of a step whose failure has a handler': `[${ofStep(', onError: [{ tool: s/h }]')}]`,
    'of a step whose failure is ignored': `[${ofStep(', onError: ignore')}]`,
    'of a group': `[{ steps: [${written}], ensure: [${that()}] }]`,
    'of a group with a handler and a `finally`': `[{ steps: [${written}], ensure: [${that()}], onError: [{ tool: s/h }], finally: [{ set: { n: 1 } }] }]`,
    'in an item whose failure is collected': `[{ forEach: [1], onItemError: collect, steps: [${ofStep()}] }]`,
    'beside another step that runs': `[{ parallel: [${ofStep()}, { wait: 1h }] }]`,
    'beside another step that runs, with a handler': `[{ parallel: [${ofStep(', onError: [{ tool: s/h }]')}, { wait: 1h }] }]`,
    'in a round': `[{ repeat: { max: 2, steps: [${ofStep()}] } }]`,
  };
  const withLimits = (steps: string): Readonly<Record<string, string>> => ({
    'the `timeout` of the run': `timeout: 3s\nsteps: ${steps}\n${onFailure}`,
    'the `budget` of the run': `budget: { toolCalls: 1 }\nsteps: ${steps}\n${onFailure}`,
    'the `timeout` of a group': `steps: [{ timeout: 3s, steps: ${steps} }]\n${onFailure}`,
    'the `budget` of a group': `steps: [{ budget: { toolCalls: 1 }, steps: ${steps} }]\n${onFailure}`,
  });
  const cases = Object.entries(lists).flatMap(([where, steps]) =>
    Object.entries(withLimits(steps)).map(([limit, file]) => [`${limit}, ${where}`, file] as const),
  );
  test.each(cases)('%s', (_, file) => {
    const { run, calls } = play(planOf(`workflow: w\n${file}`), {
      answer: ({ target }) => (target === 's/r' ? { takesMs: Infinity, result: {} } : { result: { content: [] } }),
    });
    expect([rowOf(run).failure?.code, calls.filter(({ target }) => target === 's/ua' || target === 's/h')]).toEqual([
      'not-verified',
      [],
    ]);
  });
  const isRead = ({ target }: SimulatedCall): boolean => target === 's/r';
  const cancelWith = (run: UnfinishedRun, cause: CancelCause | undefined): readonly RunEvent[] =>
    run.cancel === undefined
      ? [{ type: 'run.cancelRequested', at: run.at, by: 'run parent', ...(cause && { cause }) }]
      : [];
  /** Is cancelled while it reads. */
  function cancelledWith(cause: CancelCause | undefined): PlayOptions {
    let isReading = false;
    return {
      answer: (made) => {
        isReading ||= isRead(made);
        return isRead(made) ? { takesMs: Infinity, result: {} } : { result: { content: [] } };
      },
      outside: (run) => (isReading ? cancelWith(run, cause) : []),
    };
  }
  const ends = ({ run, calls }: SimulatedRun) => [
    rowOf(run).status,
    rowOf(run).failure?.code,
    calls.some(isRead),
    calls.filter(({ target }) => target === 's/ua' || target === 's/h').length,
  ];
  const timedOut = { code: 'run-timed-out', message: 'The run took longer than 3s.' };

  test.each(Object.entries(lists))(
    'A limit of the parent that ends the reading %s undoes nothing in a child',
    (_, steps) => {
      const plan = planOf(`workflow: w\nsteps: ${steps}`);
      expect(ends(play(plan, cancelledWith(timedOut)))).toEqual(['failed', 'not-verified', true, 0]);
      expect(ends(play(plan, cancelledWith({ code: 'not-verified', message: 'It is not known.' })))).toEqual([
        'cancelled',
        'not-verified',
        true,
        0,
      ]);
      expect(ends(play(plan, cancelledWith(undefined)))).toEqual(['cancelled', 'cancelled', true, 1]);
    },
  );

  const child = '{ id: c, workflow: looks }';
  const unread = `{ id: e, tool: s/b, ensure: [${that()}] }`;
  test.each([
    ['a limit of the run', `timeout: 3s\nsteps: [${child}]`, 'run-timed-out'],
    ['a limit of a group', `steps: [{ timeout: 3s, steps: [${child}] }]`, 'step-timed-out'],
    ['its own time', `steps: [{ id: c, workflow: looks, timeout: 3s }]`, 'step-timed-out'],
    ['what a step beside it could not verify', `steps: [{ parallel: [${child}, ${unread}] }]`, 'not-verified'],
    [
      'what an item beside it could not verify',
      `steps: [{ forEach: [0, 1], steps: [{ switch: [{ when: item == 0, steps: [${child}] }, { else: [${unread}] }] }] }]`,
      'not-verified',
    ],
    ['a failure beside it, which undoes', `steps: [{ parallel: [${child}, { id: f, tool: s/no }] }]`, undefined],
  ])('A child run that is cancelled for %s gets its code', (_, file, code) => {
    const plan = planOf(`workflow: w\n${file}`);
    const { journal } = play(plan, {
      childrenHang: true,
      answer: ({ target }) =>
        target === 's/b'
          ? { result: { content: [] } }
          : { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' },
    });
    const end = journal.findIndex(({ type }) => type === 'child.finished');
    const run = replay('run', journal.slice(0, end));
    const { perform } = decide(plan, run, journal[end]?.at ?? 0, () => undefined);
    const cancels = perform.flatMap((command) => (command.kind === 'cancelChild' ? [command.cause?.code] : []));
    expect(cancels).toEqual([code]);
  });

  test('A child run that is cancelled for a limit cancels the runs that it started for the same', () => {
    const plan = planOf(`workflow: w\nsteps: [${child}]`);
    const { journal } = play(plan, {
      childrenHang: true,
      outside: (run) => (stateAt(run, 'c') === undefined ? [] : cancelWith(run, timedOut)),
    });
    const end = journal.findIndex(({ type }) => type === 'child.finished');
    const { perform } = decide(plan, replay('run', journal.slice(0, end)), journal[end]?.at ?? 0, () => undefined);
    expect(perform).toMatchObject([{ kind: 'cancelChild', cause: timedOut }]);
  });
  behaves({
    'of a run, whose `onFailure` still runs': {
      file: `timeout: 3s\nsteps: [${written}]\nensure: [${that()}]\n${onFailure}`,
      servers: hangs,
      ...undoesNothing,
    },
    'between two reads': {
      file: `timeout: 30s\nsteps: [${written}]\nensure: [${that(', within: 1h, every: 50s')}]\n${onFailure}`,
      servers: { 's/r': no },
      ...undoesNothing,
    },
    'that is read by a child run': {
      file: `timeout: 3s\nsteps: [${written}]\nensure: [{ workflow: looks, that: result.output.ok }]\n${onFailure}`,
      childrenHang: true,
      ends: 'not-verified',
      ledger: ['s/a', 's/f {"c":"not-verified"}'],
    },
    'but a person who cancels it undoes': {
      file: `timeout: 1h\nsteps: [${written}]\nensure: [${that()}]`,
      servers: hangs,
      outside: { 1: cancel },
      ends: 'cancelled',
      ledger: ['s/a', 's/r', 's/ua'],
    },
    'but one that ends a step before the reading undoes': {
      file: `timeout: 3s\nsteps: [${written}, { wait: 1h }]\nensure: [${that()}]`,
      ends: 'run-timed-out',
      ledger: ['s/a', 's/ua'],
    },
    'but one that comes after a failure that was ignored undoes': {
      file: `timeout: 3s\nsteps: [{ parallel: [${ofStep(', onError: ignore')}, { wait: 1h }] }]`,
      servers: { 's/r': refused },
      ends: 'run-timed-out',
      ledger: ['s/a', 's/r', 's/ua'],
    },
    'but one that comes after a race was lost undoes': {
      file: `timeout: 3s\nsteps: [{ parallel: [${ofStep()}, { id: b, tool: s/b }], until: first }, { wait: 1h }]`,
      servers: { ...hangs, 's/b': { gives: {}, takesMs: 100 } },
      ends: 'run-timed-out',
      ledger: ['s/a', 's/b', 's/r', 's/ua'],
    },
  });

  test('The failure says which limit it was.', () => {
    const file = `workflow: w\ntimeout: 3s\nsteps: [${written}]\nensure: [${that()}]`;
    const { run } = play(planOf(file), {
      answer: ({ target }) => (target === 's/r' ? { takesMs: Infinity, result: {} } : { result: {} }),
    });
    expect(rowOf(run).failure).toEqual({
      code: 'not-verified',
      step: 'ensure.1',
      message:
        'Whether `result.output.ok` is true is not known (run-timed-out): The run took longer than 3s. Nothing was undone for that.',
      details: { limit: 'run-timed-out' },
    });
  });
});

describe('A handler of what could not be verified that fails undoes nothing', () => {
  const answers = { 's/r': refused, 's/h': refused } as const;
  const handled = ofStep(', onError: [{ tool: s/h }]');
  behaves({
    'where it answers an error': {
      file: `steps: [${handled}]\n${onFailure}`,
      servers: answers,
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h', 's/f {"c":"not-verified"}'],
    },
    'where it says `fail`': {
      file: `steps: [${ofStep(', onError: [{ fail: no }]')}]`,
      servers: answers,
      ends: 'not-verified',
      ledger: ['s/a', 's/r'],
    },
    'where its answer is lost': {
      file: `steps: [${handled}]`,
      servers: { ...answers, 's/h': { fails: 'timeout', delivery: 'unknown' } },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h'],
    },
    'where a limit ends it': {
      file: `timeout: 3s\nsteps: [${handled}]`,
      servers: { ...answers, 's/h': 'hangs' },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h'],
    },
    'where what it ensures is not true': {
      file: `steps: [${ofStep(`, onError: [{ tool: s/h, ensure: [${that('', 's/q')}] }]`)}]`,
      servers: { 's/r': refused, 's/q': no },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h', 's/q'],
    },
    'where it is of a group around the step': {
      file: `steps: [{ steps: [{ parallel: [${ofStep()}] }], onError: [{ tool: s/h }] }]`,
      servers: answers,
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h'],
    },
    'where it is of a group with a `finally`': {
      file: `steps: [{ steps: [${ofStep()}], onError: [{ tool: s/h }], finally: [{ tool: s/l }] }]`,
      servers: answers,
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h', 's/l'],
    },
    'where the handler has a handler that fails': {
      file: `steps: [${ofStep(', onError: [{ tool: s/h, onError: [{ fail: no }] }]')}]`,
      servers: answers,
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/h'],
    },
    'but a step after a handler that did its work': {
      file: `steps: [${handled}, { fail: no }]`,
      servers: { 's/r': refused },
      ends: 'workflow-failed',
      ledger: ['s/a', 's/r', 's/h', 's/ua'],
    },
    'but a handler of what is not true': {
      file: `steps: [${handled}]`,
      servers: { 's/r': no, 's/h': refused },
      ends: 'tool-failed',
      ledger: ['s/a', 's/r', 's/h', 's/ua'],
    },
    'but a person who cancels it': {
      file: `steps: [${ofStep(', onError: [{ wait: 1h }]')}]`,
      servers: answers,
      outside: { 2: cancel },
      ends: 'cancelled',
      ledger: ['s/a', 's/r', 's/ua'],
    },
  });

  test('The failure says what could not be verified, and that its handler failed.', () => {
    const { run } = play(planOf(`workflow: w\nsteps: [${ofStep(', onError: [{ fail: Call Ada }]')}]`), {
      answer: ({ target }) =>
        target === 's/r'
          ? { failure: { code: 'tool-failed', message: 'no' }, delivery: 'answered' }
          : { result: { content: [] } },
    });
    expect(rowOf(run).failure).toMatchObject({
      code: 'not-verified',
      step: 'a/@ensure/ensure.1',
      message:
        'Whether `result.output.ok` is true is not known (tool-failed): no. Nothing was undone for that. Its handler did not succeed (workflow-failed): Call Ada.',
    });
  });
});

test.each([
  ['is not true', 'steps: [A_IGNORE]', no, '1 condition that it should ensure was not true, and it went on.'],
  [
    'cannot be read',
    'steps: [A_IGNORE]',
    refused,
    '1 condition that it should ensure was not known to be true, and it went on.',
  ],
  [
    'is not true of collected items',
    'steps: [{ forEach: [1, 2], onItemError: collect, steps: [A] }]',
    no,
    '2 conditions that it should ensure were not true, and it went on.',
  ],
  [
    'is not true, with a handler',
    'steps: [A_HANDLED]',
    no,
    '1 condition that it should ensure was not true, and it went on.',
  ],
])('A run that succeeded says that what it should ensure %s.', (_, file, found, told) => {
  const steps = file
    .replace('A_IGNORE', ofStep(', onError: ignore'))
    .replace('A_HANDLED', ofStep(', onError: [{ set: { n: 1 } }]'))
    .replace('[A]', `[${ofStep()}]`);
  const unread = { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' } as const;
  const look = 'fails' in found ? unread : text(false);
  const { run, journal } = play(planOf(`workflow: w\n${steps}`), {
    answer: ({ target }) => (target === 's/r' ? look : text(true)),
  });
  const traced = Trace.of(journal).steps;
  expect(run.status).toBe('succeeded');
  expect(runSentence(sentenceInput(run), traced, run.at)).toContain(told);
  const marks = asEnsured(traced).flatMap(({ path, status }) => (/(?:^|\/)a$/.test(path) ? [status] : []));
  expect(new Set(marks)).toEqual(new Set(['failed']));
});
