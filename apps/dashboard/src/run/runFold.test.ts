/** What the page makes of a journal: the run at each moment, rows of the timeline, side effects. */
import { graph, readText } from '@baton/editor-service';
import { type PlayOptions, type RunEvent, play, replay, runSentence, sentenceInput, Trace } from '@baton/engine';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { holdersOf } from '../parts/graph/stepKeys.ts';
import { effectsOf } from './effects.ts';
import { eventText } from './eventText.ts';
import { RunFold } from './fold.ts';
import { type PlannedStep, plannedOf } from './planned.ts';
import { rowsOf } from './timeline/rowsOf.ts';
import { binned } from './timeline/worstStatus.ts';

const order = planOf(
  `
workflow: order
steps:
  - { id: found, tool: shop/lookup }
  - { id: paid, tool: shop/charge, undo: [{ tool: shop/refund }] }
  - { id: booked, tool: bank/book, retry: { attempts: 2, delay: 1s } }
`,
  { 'shop/lookup': 'read' },
);

const bankIsAway: NonNullable<PlayOptions['answer']> = ({ target }) =>
  target === 'bank/book'
    ? { failure: { code: 'server-unreachable', message: 'The bank is away' }, delivery: 'unsent' }
    : { result: { content: [] } };

const itemsText = (count: number): string => `
workflow: items
steps:
  - id: each
    forEach: \${{ range(${count}) }}
    as: n
    onItemError: collect
    steps:
      - { id: done, tool: shop/pack, with: { n: "\${{ n }}" } }
`;
const items = planOf(itemsText(20));

const seventhFails: NonNullable<PlayOptions['answer']> = (made) =>
  made.arguments['n'] === 7
    ? { failure: { code: 'tool-failed', message: 'no' }, delivery: 'answered' }
    : { result: { content: [] } };

const labelsOf = (
  events: readonly RunEvent[],
  opened: readonly [string, boolean][] = [],
  holders: ReadonlyMap<string, string> = new Map(),
  planned: readonly PlannedStep[] = [],
): string[] =>
  rowsOf(Trace.of(events).steps, { opened: new Map(opened), titles: new Map(), holders, planned }).map((row) => {
    if (row.kind === 'strip') return JSON.stringify(row.counts);
    const indent = '  '.repeat(row.depth);
    if (row.kind !== 'pending') return `${indent}${row.label}`;
    return `${indent}${row.isTooLate ? '-' : '?'} ${row.label}`;
  });

describe('the run at a moment', () => {
  const { journal: events, run } = play(order, { answer: bankIsAway });

  test('is what the engine makes of the events until then, forwards and backwards, in any order', () => {
    const fold = new RunFold(run.id, events);
    for (const seq of [events.length, 3, 1, 5, 2, events.length]) {
      const moment = fold.at(seq);
      expect(moment?.run).toEqual(replay(run.id, events.slice(0, seq)));
      expect(moment?.trace.steps).toEqual(Trace.of(events.slice(0, seq)).steps);
      expect(moment?.seq).toBe(seq);
    }
    expect(fold.at(0)).toBeUndefined();
    expect(fold.at(events.length + 5)?.seq).toBe(events.length);
  });

  test('is the same where two folds share the states that they keep along the way', () => {
    const { journal: many } = play(planOf(itemsText(400)), { answer: seventhFails });
    const now = new RunFold(run.id, many);
    now.at(many.length);
    const past = new RunFold(run.id, many, now);
    for (const seq of [1_500, 1_001, 40]) expect(past.at(seq)?.run).toEqual(replay(run.id, many.slice(0, seq)));
  });

  test('goes on as events are added to the same list', () => {
    const growing: RunEvent[] = [];
    const fold = new RunFold(run.id, growing);
    for (const event of events) {
      growing.push(event);
      expect(fold.at(growing.length)?.run).toEqual(replay(run.id, growing));
    }
  });

  test('is said in a sentence', () => {
    const sentences = events.map((_, at) => {
      const until = events.slice(0, at + 1);
      const then = replay(run.id, until);
      return runSentence(sentenceInput(then), Trace.of(until).steps, then.at);
    });
    expect(sentences[0]).toBe('It waits for a worker that is free.');
    expect(sentences).toContain('paid is running.');
    expect(sentences.at(-1)).toBe('booked failed after 2 attempts: The bank is away. 1 step was undone.');
  });
});

describe('rows of the timeline', () => {
  test('put handlers beneath their steps', () => {
    expect(labelsOf(play(order, { answer: bankIsAway }).journal)).toEqual([
      'found',
      'paid',
      '  undo: tool-1',
      'booked',
    ]);
  });

  test('put steps beneath the parallel, the switch or the group that holds them, whichever began first', () => {
    const text = `
workflow: nested
steps:
  - id: both
    parallel:
      - id: left
        steps:
          - { id: one, set: { n: 1 } }
      - id: right
        switch:
          - else: [{ id: two, set: { n: 2 } }]
      - { id: three, set: { n: 3 } }
  - { id: last, set: { n: 4 } }
`;
    const { nodes } = graph(readText(text, {}));
    expect(labelsOf(play(planOf(text)).journal, [], holdersOf(nodes))).toEqual([
      'both',
      '  left',
      '    one',
      '  right',
      '    two',
      '  three',
      'last',
    ]);
  });

  test('end with the steps that have not begun, each beneath what holds it; of cases, loops and handlers nothing is known', () => {
    const text = `
workflow: ahead
steps:
  - { id: first, set: { n: 1 } }
  - id: both
    parallel:
      - { id: left, fail: It is wrong. }
      - id: right
        steps:
          - { id: one, wait: 1s }
          - { id: two, set: { n: 1 } }
  - id: way
    switch:
      - else: [{ id: case, set: { n: 2 } }]
  - { id: each, forEach: "\${{ [1] }}", as: n, steps: [{ id: item, set: { n: 3 } }] }
  - { set: { n: 4 } }
onFailure: [{ id: mourn, set: { n: 5 } }]
finally: [{ id: swept, set: { n: 6 } }]
`;
    const { nodes } = graph(readText(text, {}));
    const { journal: events } = play(planOf(text));
    const at = (seq: number): string[] => labelsOf(events.slice(0, seq), [], holdersOf(nodes), plannedOf(nodes));
    expect(at(1)).toEqual([
      '? first',
      '? both',
      '  ? left',
      '  ? right',
      '    ? one',
      '    ? two',
      '? way',
      '? each',
      '? set-5',
      'Finally',
      '  ? swept',
    ]);
    expect(at(events.length)).toEqual([
      'first',
      'both',
      '  left',
      '  right',
      '    - one',
      '    - two',
      '? way',
      '? each',
      '? set-5',
      'On failure',
      '  mourn',
      'Finally',
      '  swept',
    ]);
  });

  test('The steps to come end with what a group and the run ensure, and not with what belongs to one step', () => {
    const read = `[{ tool: shop/look, effect: read, that: "result.output == 1" }]`;
    const text = `
workflow: promised
steps:
  - { id: first, set: { n: 1 } }
  - { id: group, steps: [{ id: sold, tool: shop/sell, ensure: ${read} }], ensure: ${read} }
ensure: ${read}
`;
    const { nodes } = graph(readText(text, {}));
    const labels = labelsOf(play(planOf(text)).journal.slice(0, 1), [], holdersOf(nodes), plannedOf(nodes));
    expect(labels).toEqual(['? first', '? group', '  ? sold', '  ? group.ensure.1', '? ensure.1']);
  });

  test('fold many items to a strip, with those that failed beneath it, until they are opened', () => {
    const { journal: events } = play(items, { answer: seventhFails });
    expect(labelsOf(events)).toEqual(['each', '{"succeeded":19,"failed":1}', '  [7] done']);
    const opened = labelsOf(events, [['each', true]]);
    expect(opened).toHaveLength(22);
    expect(opened.slice(2, 4)).toEqual(['  [0] done', '  [1] done']);
  });

  test('A fan-out shows the reasons of failed items with counts, and the items of a reason when it is opened.', () => {
    const answer: NonNullable<PlayOptions['answer']> = (made) => {
      const n = Number(made.arguments['n']);
      if (n % 2 === 0) return { result: { content: [] } };
      const message = n === 9 ? 'no disk' : `Row ${n} has no customer`;
      return { failure: { code: 'tool-failed', message }, delivery: 'answered' };
    };
    const events = play(items, { answer }).journal;
    const reason = 'tool-failed: Row … has no customer';
    const folded = ['each', '{"succeeded":10,"failed":10}', `  9 × ${reason}`, '  1 × tool-failed: no disk'];
    expect(labelsOf(events)).toEqual(folded);
    const opened = labelsOf(events, [[`each ${reason}`, true]]);
    expect(opened.slice(3, 5)).toEqual(['    [1] done', '    [3] done']);
    expect(opened).toHaveLength(folded.length + 9);
  });

  test('a strip of few cells stands for many: each for its worst', () => {
    const cells = Array.from({ length: 1_000 }, (_, at) => (at === 333 ? ('failed' as const) : ('succeeded' as const)));
    const shown = binned(cells, 10);
    expect(shown).toHaveLength(10);
    expect(shown.indexOf('failed')).toBe(3);
    expect(binned(cells.slice(0, 3), 10)).toHaveLength(3);
  });
});

describe('an event in words', () => {
  test('says of a group that its steps are over, of a loop which item or round', () => {
    const { journal: events } = play(
      planOf(`
workflow: over
steps:
  - { id: group, steps: [{ id: a, set: { n: 1 } }], finally: [{ id: b, set: { n: 1 } }] }
  - { id: each, forEach: "\${{ [1] }}", as: n, steps: [{ id: c, set: { n: 1 } }] }
  - { id: again, repeat: { max: 1, steps: [{ id: d, set: { n: 1 } }] } }
`),
    );
    const trace = Trace.of(events);
    expect(events.flatMap((event) => (event.type === 'item.finished' ? [eventText(event, trace)] : []))).toEqual([
      'its steps are over',
      'item 0',
      'round 0',
    ]);
  });
});

describe('side effects', () => {
  test('are each call with what is known of it, also at an earlier moment', () => {
    const { journal: events } = play(order, { answer: bankIsAway });
    const said = (seq: number): string[] =>
      effectsOf(events, seq).map(
        ({ path, attempt, effect, knowledge, undoEnd }) =>
          `${path} ${attempt} ${effect} ${knowledge}${undoEnd === undefined ? '' : ` ${undoEnd}`}`,
      );
    expect(said(events.length)).toEqual([
      'found 1 read answered',
      'paid 1 write answered undone',
      'booked 1 write unsent',
      'booked 2 write unsent',
      'paid/@undo/tool-1 1 write answered',
    ]);
    const paid = events.findIndex((event) => event.type === 'step.started' && event.path === 'paid');
    expect(said(paid + 1)).toEqual(['found 1 read answered', 'paid 1 write intended']);
  });

  test('an answer that was lost is unknown', () => {
    const lost = play(order, {
      answer: ({ target }) =>
        target === 'shop/charge'
          ? { failure: { code: 'connection-lost', message: 'gone' }, delivery: 'unknown' }
          : { result: { content: [] } },
    });
    expect(effectsOf(lost.journal, lost.journal.length).map(({ path, knowledge }) => `${path} ${knowledge}`)).toEqual([
      'found answered',
      'paid unknown',
    ]);
  });
});
