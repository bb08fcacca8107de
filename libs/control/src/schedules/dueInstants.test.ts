import { describe, expect, test } from 'vitest';

import { dueInstants } from './dueInstants.ts';

const at = (text: string): number => Date.parse(`2026-06-01T${text}Z`);
const hourly = { times: '0 * * * *', timezone: 'UTC', catchUpWindowMs: 6 * 3_600_000 };

function due(schedule: Partial<Parameters<typeof dueInstants>[0]>, now: string): string[] {
  const { instants, nextAt, isMissed } = dueInstants(
    { ...hourly, catchUp: 'none', nextAt: at('03:00:00'), ...schedule },
    at(now),
  );
  const text = (ms: number): string => new Date(ms).toISOString().slice(11, 19);
  return [
    ...instants.map(({ instant, cause }) => `${cause} ${text(instant)}`),
    `${isMissed ? 'missed some, ' : ''}next ${nextAt === undefined ? '' : text(nextAt)}`,
  ];
}

describe('an instant', () => {
  test('that has come fires, once', () => {
    expect(due({}, '03:00:00')).toEqual(['due 03:00:00', 'next 04:00:00']);
    expect(due({}, '03:00:59')).toEqual(['due 03:00:00', 'next 04:00:00']);
    expect(due({ nextAt: at('04:00:00') }, '03:00:59')).toEqual(['next 04:00:00']);
  });

  test('that was missed is passed over where nothing is caught up', () => {
    expect(due({}, '05:30:00')).toEqual(['missed some, next 06:00:00']);
    expect(due({}, '06:00:10')).toEqual(['due 06:00:00', 'missed some, next 07:00:00']);
  });

  test('that was missed last fires late where the latest is caught up', () => {
    expect(due({ catchUp: 'latest' }, '05:30:00')).toEqual(['late 05:00:00', 'missed some, next 06:00:00']);
    expect(due({ catchUp: 'latest' }, '06:00:10')).toEqual(['due 06:00:00', 'missed some, next 07:00:00']);
    expect(due({ catchUp: 'latest', catchUpWindowMs: 60_000 }, '05:30:00')).toEqual(['missed some, next 06:00:00']);
  });

  test('that was missed fires late where all are caught up, as far back as the window goes', () => {
    expect(due({ catchUp: 'all' }, '05:30:00')).toEqual([
      'late 03:00:00',
      'late 04:00:00',
      'late 05:00:00',
      'next 06:00:00',
    ]);
    expect(due({ catchUp: 'all', catchUpWindowMs: 5_400_000 }, '05:30:00')).toEqual([
      'late 04:00:00',
      'late 05:00:00',
      'missed some, next 06:00:00',
    ]);
  });
});

test('of a schedule that fires every second a month is passed over at once', () => {
  const schedule = {
    ...hourly,
    times: '* * * 1-15 * *',
    catchUpWindowMs: 31 * 86_400_000,
    nextAt: Date.parse('2026-05-29T00:00:00Z'),
  };
  const now = Date.parse('2026-06-20T12:00:00Z');
  const latest = dueInstants({ ...schedule, catchUp: 'latest' }, now);
  expect(latest.instants).toEqual([{ instant: Date.parse('2026-06-15T23:59:59Z'), cause: 'late' }]);
  expect(latest.nextAt).toBe(Date.parse('2026-07-01T00:00:00Z'));
  const all = dueInstants({ ...schedule, catchUp: 'all' }, now);
  expect(all.instants).toHaveLength(100);
  expect(all.nextAt).toBe(Date.parse('2026-06-01T00:01:40Z'));
});
