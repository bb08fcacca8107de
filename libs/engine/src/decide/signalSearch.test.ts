import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { play, playOn } from '../play/play.ts';
import type { EventOf, RunEvent } from '../state/event.ts';
import { replay } from '../state/evolve.ts';
import { rowOf } from '../state/row.ts';
import { Trace } from '../state/trace.ts';
import { decide } from './decide.ts';

/** A tenth of what one evaluation may cost. */
const heavy = 'range(120).all(a, range(120).all(b, a + b >= 0)) && signal.n';

const waitFor = (match: string, more = ''): string => `{ id: w, wait: { signal: go, match: "${match}"${more} } }`;

const oneWait = (match: string, more = '') =>
  planOf(`
workflow: w
steps: [${waitFor(match, more)}]
outputs: { n: "\${{ steps.w.output.n }}" }
`);

const signals = (count: number): RunEvent[] =>
  Array.from({ length: count }, (_, n) => ({ type: 'signal.received', at: 1, name: 'go', payload: { n }, by: 'bank' }));

const sent = (count: number) => ({
  outside: (_: unknown, round: number) => (round === 0 ? signals(count) : []),
});

const waits = (journal: readonly RunEvent[]): EventOf<'step.waiting'>[] =>
  journal.filter((event) => event.type === 'step.waiting');

const triedIn = (journal: readonly RunEvent[]): number[] =>
  waits(journal).flatMap(({ awaiting }) => (awaiting.for === 'signal' ? (awaiting.tried ?? []) : []));

describe('a heavy `match`', () => {
  const plan = oneWait(`${heavy} == 49`);
  const { run, journal } = play(plan, sent(50));
  const first = journal.findIndex(({ type }) => type === 'signal.received');

  test('is tried on a few signals in one decision, which writes down how far it came', () => {
    const { events } = decide(
      plan,
      replay('r', journal.slice(0, first + 50)),
      journal[first]?.at ?? 0,
      () => undefined,
    );
    const [tried = 0, ...more] = triedIn(events);
    expect([events.length, more]).toEqual([1, []]);
    expect(tried - first).toBeGreaterThan(0);
    expect(tried - first).toBeLessThan(5);
  });

  test('is tried once on each signal, and finds the one that it finds without a limit', () => {
    expect(rowOf(run).outputs).toEqual({ json: { n: 49 } });
    const tried = triedIn(journal);
    expect(tried).toEqual([...new Set(tried)].sort((a, b) => a - b));
    expect(tried.length).toBeGreaterThan(10);
  });

  test('finds the same in slices, and where another worker goes on from any event', () => {
    expect(play(plan, { ...sent(50), decidesInSlices: true }).journal).toEqual(journal);
    for (let end = first + 50; end < journal.length; end++) {
      expect(rowOf(playOn(plan, journal.slice(0, end)).run).outputs).toEqual({ json: { n: 49 } });
    }
  });

  test('is one attempt of one wait for those who look at the run', () => {
    expect(Trace.of(journal).steps).toMatchObject([{ path: 'w', status: 'succeeded', attempts: [{ n: 1 }] }]);
  });

  test('lets the wait expire when no signal is left to try, and not before', () => {
    const late = oneWait(`${heavy} < 0`, ', timeout: 1h');
    const expired = play(late, sent(50));
    expect(rowOf(expired.run).failure).toMatchObject({
      code: 'wait-expired',
      message: expect.stringContaining('of 50 that came, the last was not taken') as string,
    });
    expect(triedIn(expired.journal).at(-1)).toBeGreaterThan(first + 46);
    const begun = replay('r', expired.journal.slice(0, first + 50));
    const hoursLater = (journal[0]?.at ?? 0) + 2 * 3_600_000;
    const { events } = decide(late, begun, hoursLater, () => undefined);
    expect(events.map(({ type }) => type)).toEqual(['step.waiting']);
  });

  test('of many waits is tried on a few signals in one decision, too', () => {
    const many = planOf(`
workflow: w
steps:
  - parallel: [${Array.from({ length: 20 }, (_, n) => waitFor(`${heavy} == ${n}`).replace('id: w', `id: w${n}`)).join(', ')}]
`);
    const played = play(many, sent(20));
    expect(played.run.status).toBe('succeeded');
    const begun = played.journal.findLastIndex(({ type }) => type === 'signal.received') + 1;
    const { events } = decide(many, replay('r', played.journal.slice(0, begun)), 1, () => undefined);
    expect(events.length).toBeLessThan(5);
  });
});

describe('a cheap `match`', () => {
  test('is tried on 1,000 signals in one decision, and writes nothing down', () => {
    const { run, journal } = play(oneWait('signal.n == 999'), sent(1_000));
    expect(rowOf(run).outputs).toEqual({ json: { n: 999 } });
    expect([waits(journal).length, triedIn(journal)]).toEqual([1, []]);
  });

  test('of 200 waits is written down twice for each wait at most, and not again at each decision', () => {
    const { run, journal } = play(
      planOf(`
workflow: w
steps:
  - forEach: "\${{ range(200) }}"
    maxParallel: 200
    steps: [${waitFor('signal.n < 0', ', timeout: 1h')}]
    onItemError: collect
`),
      sent(1_000),
    );
    expect(run.status).toBe('succeeded');
    const paths = waits(journal).flatMap(({ path, awaiting }) =>
      awaiting.for === 'signal' && awaiting.tried !== undefined ? path : [],
    );
    const [times] = [...new Set(paths)].map((path) => paths.filter((one) => one === path).length).sort((a, b) => b - a);
    expect(times).toBeLessThanOrEqual(2);
  });
});
