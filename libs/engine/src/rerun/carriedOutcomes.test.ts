import { failing, refused, pathsOf, planOf, textResult, type PlayAnswer } from '@baton/testing';
import { assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { play, playOn } from '../play/play.ts';
import type { RunEvent } from '../state/event.ts';
import { carryOutcomes, type CarriedOutcomes } from './carriedOutcomes.ts';
import { type RepeatedCall, repeatedCalls, writesFirst } from './repeatedCalls.ts';

interface Again {
  readonly first: readonly string[];
  readonly second: readonly string[];
  readonly kept: CarriedOutcomes;
  /** The calls that the answer names as made again. */
  readonly named: readonly RepeatedCall[];
  readonly status: string;
}

/** Plays a run, and then one that goes on from it, in which everything succeeds. */
function twice(
  text: string,
  answer: PlayAnswer,
  from?: string,
  second: PlayAnswer = failing(),
  repeatsFailedItems = false,
): Again {
  const plan = planOf(text);
  const old = play(plan, { answer, inputs: { is: true } });
  const at = old.nowMs + 1;
  const kept = carryOutcomes(plan, old.journal, { at, from, repeatsFailedItems });
  const [requested] = old.journal;
  const again = { ...(requested as RunEvent), at, rerunOf: 'old' } as RunEvent;
  const next = playOn(plan, [again, ...kept.events], { answer: second });
  const named = writesFirst(repeatedCalls(old.journal, kept.isRepeated));
  return { first: pathsOf(old.calls), second: pathsOf(next.calls), kept, named, status: next.run.status };
}

const tool = (id: string, more = ''): string => `  - { id: ${id}, tool: s/${id}${more} }\n`;

describe('a rerun', () => {
  test('makes no successful call again', () => {
    const { first, second, kept, named, status } = twice(
      `workflow: w\nsteps:\n${tool('a')}${tool('b')}${tool('c')}`,
      failing('b'),
    );
    expect({ first, second, status }).toEqual({ first: ['a', 'b'], second: ['b', 'c'], status: 'succeeded' });
    expect(named).toEqual([{ path: 'b', verb: 'tool', target: 's/b', effect: 'write', outcome: 'failed' }]);
    expect(kept.events).toMatchObject([{ type: 'step.succeeded', path: 'a', kept: 4 }]);
  });

  test.each(['invalid-result', 'result-too-large'] as const)(
    'a retry asks before it repeats a write whose answer was there and could not be taken (%s)',
    (code) => {
      const answer: PlayAnswer = (call) =>
        call.path === 'b' ? { failure: { code, message: 'No.' }, delivery: 'answered' } : failing()(call);
      const { named } = twice(`workflow: w\nsteps:\n${tool('a')}${tool('b')}`, answer);
      expect(named).toMatchObject([{ path: 'b', effect: 'write', outcome: 'unknown' }]);
    },
  );

  test('sees the values of the old run', () => {
    const text = `workflow: w\nsteps:\n${tool('a')}${tool('b', ', with: { was: "${{ steps.a.output.at }}" }')}`;
    const plan = planOf(text);
    const old = play(plan, { answer: failing('b') });
    const kept = carryOutcomes(plan, old.journal, { at: old.nowMs });
    const next = playOn(plan, [...old.journal.slice(0, 1), ...kept.events]);
    expect(next.calls).toMatchObject([{ path: 'b', arguments: { was: 'a' } }]);
  });

  test('repeats a step and all after it, and names the calls', () => {
    const text = `workflow: w\nsteps:\n${tool('a')}${tool('b')}${tool('c')}finally:\n${tool('last')}`;
    const { second, named } = twice(text, failing(), 'b');
    expect(second).toEqual(['b', 'c', '@finally/last']);
    expect(named.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'b succeeded',
      'c succeeded',
      '@finally/last succeeded',
    ]);
  });

  test('keeps outcomes beside the failed step, except those that needed it', () => {
    const text = `workflow: w
steps:
  - parallel:
      - { id: a, tool: s/a }
      - { id: b, tool: s/b }
      - { id: c, tool: s/c, needs: [a] }
`;
    const { second } = twice(text, failing('b'));
    expect(second.toSorted()).toEqual(['b', 'c']);
    expect(twice(text, failing('c'), 'a').second.toSorted()).toEqual(['a', 'c']);
  });

  test('stays in the case that was chosen', () => {
    const text = `workflow: w
inputs: { is: { type: boolean, default: true } }
steps:
  - switch:
      - when: inputs.is
        steps:
          - { id: a, tool: s/a }
          - { id: b, tool: s/b }
      - else:
          - { id: c, tool: s/c }
  - { id: d, tool: s/d }
`;
    expect(twice(text, failing('b')).second).toEqual(['b', 'd']);
    expect(twice(text, failing(), 'b').second).toEqual(['b', 'd']);
  });

  const each = (more = ''): string => `workflow: w
steps:
  - id: all
    forEach: "\${{ range(6) }}"
    maxParallel: 2
    ${more}
    steps:
      - { id: a, tool: s/a }
      - { id: b, tool: s/b }
    collect: "\${{ steps.b.output.at }}"
  - { id: end, tool: s/end, with: { all: "\${{ steps.all.output }}" } }
`;

  test('repeats only unfinished items, two at a time as before', () => {
    const { first, second, named, status } = twice(each(), failing('all/3/b'));
    const again = new Set(named.map(({ path }) => path));
    expect(second.filter((path) => first.includes(path) && !again.has(path))).toEqual([]);
    expect(second).toContain('all/3/b');
    expect(second.at(-1)).toBe('end');
    expect(status).toBe('succeeded');
  });

  test('does an item again that lies before those that were done', () => {
    const slow: PlayAnswer = ({ path }) =>
      path === 'all/0/a' ? { ...refused, takesMs: 7 } : { result: textResult({ at: path }) };
    const { second, kept, status } = twice(each(), slow);
    const begun = kept.events.find(({ type }) => type === 'step.started');
    expect(begun).toMatchObject({ path: 'all', reopened: [0] });
    expect(second.slice(0, 2)).toEqual(['all/0/a', 'all/4/a']);
    expect(second).not.toContain('all/1/a');
    expect(status).toBe('succeeded');
  });

  test('opens no more items again at a time than `maxParallel` says', () => {
    const text = `workflow: w
steps:
  - parallel:
      - { id: beside, tool: s/beside }
      - id: all
        forEach: "\${{ range(9) }}"
        maxParallel: 2
        onItemError: collect
        steps: [{ id: a, tool: s/a }]
`;
    const plan = planOf(text);
    // The items up to 6 fail, 7 is done, and 8 is under way when the run fails.
    const wrong = failing(...Array.from({ length: 7 }, (_, n) => `all/${n}/a`), 'beside');
    const times = new Map([
      ['beside', 50],
      ['all/8/a', 100],
    ]);
    const old = play(plan, { answer: (call) => ({ ...wrong(call), takesMs: times.get(call.path) ?? 0 }) });
    const kept = carryOutcomes(plan, old.journal, { at: old.nowMs + 1 });
    const begun = kept.events.find((event) => event.type === 'step.started' && event.path === 'all');
    expect(begun).toMatchObject({ reopened: [0, 1, 2, 3, 4, 5, 6] });
    const { journal, calls } = playOn(plan, [...old.journal.slice(0, 1), ...kept.events], {
      answer: ({ path }) => ({ takesMs: 10, result: textResult({ at: path }) }),
    });
    let most = 0;
    let open = 0;
    for (const event of journal) {
      if (!('path' in event) || !/^all\/\d\/a$/.test(event.path)) continue;
      if (event.type === 'step.started') most = Math.max(most, ++open);
      if (event.type === 'step.succeeded' && event.kept === undefined) open -= 1;
    }
    expect(calls).toHaveLength(9);
    expect(most).toBe(2);
  });

  test('keeps failed items that the workflow tolerated, unless they are requested again', () => {
    const collecting = each('onItemError: collect');
    expect(twice(collecting, failing('all/1/a', 'end')).second).toEqual(['end']);
    const { second } = twice(collecting, failing('all/1/a', 'all/4/b'), 'all/1/a');
    expect(second).toEqual(['all/1/a', 'all/1/b', 'end']);
  });

  test('does not keep undone outcomes', () => {
    const text = `workflow: w
steps:
  - { id: a, tool: s/a }
  - { id: b, tool: s/b, undo: { tool: s/unb } }
  - { id: c, tool: s/c }
`;
    const { first, second, named } = twice(text, failing('c'));
    expect(first).toEqual(['a', 'b', 'c', 'b/@undo/tool-1']);
    expect(second).toEqual(['b', 'c']);
    expect(named.map(({ path }) => path)).toEqual(['b', 'c']);
  });

  test('A retry of a run that let items fail repeats their failed calls and what came after them, and no other.', () => {
    const text = `workflow: w
steps:
${tool('before')}  - id: all
    forEach: [0, 1, 2]
    onItemError: collect
    steps: [{ id: made, tool: s/made }, { id: sent, tool: s/sent }]
${tool('after')}`;
    const answer = failing('all/1/sent');
    const { second, named, status } = twice(text, answer, undefined, failing(), true);
    expect([second, status]).toEqual([['all/1/sent', 'after'], 'succeeded']);
    expect(named.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['after', 'succeeded'],
      ['all/1/sent', 'failed'],
    ]);
    expect(twice(text, answer).second).toEqual([]);
  });

  test('takes time that grows with the number of items that were undone', { timeout: 10_000 }, () => {
    const count = 40_000;
    const plan = planOf(`workflow: w
steps:
  - { id: all, forEach: [1], as: n, onItemError: collect, steps: [{ id: a, tool: s/a, undo: { tool: s/una } }] }
`);
    const { journal } = play(plan);
    const failure = { code: 'tool-failed', message: 'no', step: 'all/0/a' } as const;
    const items = Array.from({ length: count }, (_, index): RunEvent[] => [
      { type: 'item.finished', at: 4, path: 'all', index, failure },
      { type: 'step.undone', at: 4, path: `all/${index}/a` },
    ]).flat();
    const end = journal.findIndex(({ type }) => type === 'step.succeeded' || type === 'item.finished');
    const all = [...journal.slice(0, end), ...items, ...journal.slice(end)];
    expect(carryOutcomes(plan, all, { at: 5 }).events).toMatchObject([{ type: 'step.started', path: 'all' }]);
  });

  test('can still undo what it kept', () => {
    const text = `workflow: w
steps:
  - { id: a, tool: s/a, undo: { tool: s/una } }
  - { id: b, tool: s/b }
`;
    const { second } = twice(text, failing(), 'b', failing('b'));
    expect(second).toEqual(['b', 'a/@undo/tool-1']);
  });

  test('keeps failures that the workflow handled', () => {
    const text = `workflow: w
steps:
  - { id: a, tool: s/a, onError: ignore }
  - id: b
    tool: s/b
    onError:
      - steps:
          - { id: mend, tool: s/mend }
  - { id: c, tool: s/c }
`;
    expect(twice(text, failing('a', 'b', 'c')).second).toEqual(['c']);
    expect(twice(text, failing('a', 'b', 'b/@onError/mend')).second).toEqual(['b', 'c']);
  });

  test('continues in the round that failed', () => {
    const text = `workflow: w
steps:
  - id: rounds
    repeat: { max: 3, steps: [{ id: a, tool: s/a }, { id: b, tool: s/b }] }
`;
    expect(twice(text, failing('rounds/1/b')).second).toEqual(['rounds/1/b', 'rounds/2/a', 'rounds/2/b']);
  });

  test.each([
    ['failed', refused, ['c'], ['b'], undefined],
    ['was refused by its `if`', undefined, ['c'], ['b'], undefined],
    ['was made', { result: textResult({}) }, ['b', 'c'], [], 'undone'],
    [
      'lost its answer',
      { failure: { code: 'timeout', message: 'No.' }, delivery: 'unknown' },
      ['b', 'c'],
      [],
      'unknown',
    ],
  ] as const)('A step whose undo %s is kept and named, or made again and named', (_, end, second, kept, named) => {
    const undo = end === undefined ? '{ tool: s/u, if: "false" }' : '{ tool: s/u }';
    const text = `workflow: w\nsteps:\n${tool('b', `, undo: ${undo}`)}${tool('c')}`;
    const answer: PlayAnswer = (made) => (made.path.includes('@undo') && end !== undefined ? end : failing('c')(made));
    const again = twice(text, answer);
    expect([again.second, again.kept.notUndone]).toEqual([second, kept]);
    expect(again.named.find(({ path }) => path === 'b')?.undoEnd).toBe(named);
  });

  test('A step whose undo failed is named where a step before it is made again', () => {
    const text = `workflow: w\nsteps:\n${tool('a', ', undo: { tool: s/u }')}${tool('b', ', undo: { tool: s/v }')}${tool('c')}`;
    const { second, named } = twice(text, failing('c', 'b/@undo/tool-1'));
    expect(second).toEqual(['a', 'b', 'c']);
    expect(named.map(({ path, undoEnd }) => [path, undoEnd])).toEqual([
      ['a', 'undone'],
      ['b', 'failed'],
      ['c', undefined],
    ]);
  });

  test('A step whose undo failed in its second call, after the first, is not kept', () => {
    const undo = '{ steps: [{ id: u, tool: s/u }, { id: v, tool: s/v }] }';
    const text = `workflow: w\nsteps:\n${tool('b', `, undo: ${undo}`)}${tool('c')}`;
    const { second, named } = twice(text, failing('c', 'b/@undo/v'));
    expect([second, named[0]?.undoEnd]).toEqual([['b', 'c'], 'failed']);
  });

  test('can itself be rerun', () => {
    const plan = planOf(`workflow: w\nsteps:\n${tool('a')}${tool('b')}${tool('c')}`);
    let { journal } = play(plan, { answer: failing('b') });
    for (const broken of ['c', 'none']) {
      const kept = carryOutcomes(plan, journal, { at: 1_800_000_000_000 });
      ({ journal } = playOn(plan, [...journal.slice(0, 1), ...kept.events], { answer: failing(broken) }));
    }
    expect(journal.filter(({ type }) => type === 'step.started')).toMatchObject([{ path: 'c' }]);
    expect(journal.at(-1)).toMatchObject({ type: 'run.finished', status: 'succeeded' });
  });

  /**
   * Goal: no call whose outcome was won is made again, the journal that is begun with is legal, and the run comes to its
   * end.
   * Method: one of several workflows, in which a call of any number fails or loses its worker; then the run that goes on.
   */
  test('after any failure', () => {
    const texts = [each(), each('onItemError: collect'), each('onError: ignore')];
    const where = record({
      text: constantFrom(...texts),
      nth: integer({ min: 1, max: 13 }),
      dies: constantFrom(true, false),
    });
    assert(
      property(where, ({ text, nth, dies }) => {
        let calls = 0;
        const answer: PlayAnswer = ({ path }) => {
          calls += 1;
          if (calls !== nth) return { result: textResult({ at: path }) };
          return dies ? { workerDies: true } : refused;
        };
        const { first, second, named, status } = twice(text, answer);
        const repeated = second.filter((path) => first.includes(path));
        expect(status).toBe('succeeded');
        expect(repeated.toSorted()).toEqual(
          named
            .map(({ path }) => path)
            .filter((path) => second.includes(path))
            .toSorted(),
        );
        expect(named.filter(({ outcome }) => outcome === 'succeeded')).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
