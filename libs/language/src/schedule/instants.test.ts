import { assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { instantsAfter } from './instants.ts';

const take = (cron: string, timezone: string, from: string, n: number): string[] =>
  instantsAfter({ times: cron, timezone }, Date.parse(from))
    .take(n)
    .map((at) => new Date(at).toISOString())
    .toArray();

describe('instants', () => {
  test.each([
    ['a gap', '30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['a fold', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'a fold, every half hour',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00:10:00Z',
      ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
    ],
    [
      'a day without midnight',
      '0 0 * * *',
      'America/Sao_Paulo',
      '2018-11-03T04:00:00Z',
      ['2018-11-04T03:00', '2018-11-05T02:00'],
    ],
    ['a leap day', '0 0 29 2 *', 'UTC', '2025-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    [
      'half an hour put back',
      '0 * * * *',
      'Australia/Lord_Howe',
      '2026-04-04T13:30:00Z',
      ['2026-04-04T14:00', '2026-04-04T15:30', '2026-04-04T16:30'],
    ],
    [
      'a day that was left out',
      '0 12 * * *',
      'Pacific/Apia',
      '2011-12-29T12:00:00Z',
      ['2011-12-29T22:00', '2011-12-30T22:00'],
    ],
  ])('%s: %s in %s', (_, cron, zone, from, expected) => {
    expect(take(cron, zone, from, expected.length)).toEqual(expected.map((at) => `${at}:00.000Z`));
  });

  test('end where there are no more', () => {
    expect(take('0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([]);
  });

  /**
   * Goal: a reader that begins later sees the same instants.
   * Method: for schedules over zones and days on which clocks change, the instants after a random one are the tail of
   * those after an earlier one, and each is later than the one before.
   */
  test('are the same from wherever they are asked', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Cairo'];
    const crons = ['30 2 * * *', '*/15 * * * *', '0 0 * * *', '5 0-3 * * *', '0 12 * * 1', '59 23 * * *'];
    const changes = ['2026-03-07', '2026-03-28', '2026-04-03', '2026-04-23', '2026-10-03', '2026-10-24', '2026-10-30'];
    const from = tuple(constantFrom(...changes), integer({ min: 0, max: 48 * 60 }));
    assert(
      property(constantFrom(...zones), constantFrom(...crons), from, (timezone, cron, [day, minutes]) => {
        const early = Date.parse(`${day}T00:00:00Z`);
        const later = early + minutes * 60_000;
        const all = instantsAfter({ times: cron, timezone }, early).take(100).toArray();
        expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
        const tail = all.filter((at) => at > later);
        expect(instantsAfter({ times: cron, timezone }, later).take(tail.length).toArray()).toEqual(tail);
      }),
      { numRuns: 30 },
    );
  });
});
