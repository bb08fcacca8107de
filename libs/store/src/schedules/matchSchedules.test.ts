import { assert, infiniteStream, nat, property, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type KnownSchedule, type WantedSchedule, matchSchedules } from './matchSchedules.ts';

/** `a=3 x`: the id a, at 03:00, with the inputs x. Id and inputs may be absent. */
function wanted(...schedules: readonly string[]): WantedSchedule[] {
  return schedules.map((text, i) => {
    const [, id, hour = '', inputs = ''] = /^(?:(\S+)=)?(\d+)(?: (\S+))?$/.exec(text) ?? [];
    const named = id === undefined ? {} : { id };
    return { key: `schedule-${i + 1}`, ...named, times: `0 ${hour} * * *`, timezone: 'UTC', inputs };
  });
}

/** The stored schedules after the versions were deployed one after another. */
function after(...versions: readonly (readonly string[])[]): KnownSchedule[] {
  let stored: KnownSchedule[] = [];
  for (const [at, version] of versions.entries()) {
    const matched = matchSchedules('w', stored, wanted(...version));
    const kept = new Set(matched.map(({ before }) => before));
    const gone = stored
      .filter((one) => !kept.has(one))
      .map((one) => ({ ...one, removedAt: one.removedAt ?? new Date(at) }));
    const placed = matched.map(({ id, before, wanted: { key, times, timezone, inputs } }) => ({
      id,
      formerly: before === undefined || before.id === id ? (before?.formerly ?? []) : [...before.formerly, before.id],
      trigger: key,
      times,
      timezone,
      inputs,
      removedAt: null,
    }));
    stored = [...placed, ...gone];
  }
  return stored;
}

/** For each schedule of the last version, which one before it is; `new` where it is none. */
const matches = (...versions: readonly (readonly string[])[]): string[] =>
  matchSchedules('w', after(...versions.slice(0, -1)), wanted(...(versions.at(-1) ?? []))).map(({ id, before }) => {
    const name = id.slice(2);
    if (before === undefined) return `${name} new`;
    const was = before.id.slice(2);
    return `${was === name ? name : `${was} → ${name}`}${before.removedAt === null ? '' : ' back'}`;
  });

describe('the schedules of a new version', () => {
  test.each<[string, string[], string[], string[]]>([
    ['one written above the others', ['3', '4'], ['5', '3', '4'], ['schedule-3 new', 'schedule-1', 'schedule-2']],
    ['the first one left out', ['3', '4'], ['4'], ['schedule-2']],
    ['two that changed places', ['3', '4'], ['4', '3'], ['schedule-2', 'schedule-1']],
    ['equal times told apart by their inputs', ['3 x', '3 y'], ['3 y', '3 x'], ['schedule-2', 'schedule-1']],
    ['other inputs at the same time', ['3 x', '4'], ['4', '3 y'], ['schedule-2', 'schedule-1']],
    ['another time at the same place', ['3', '4'], ['3', '5'], ['schedule-1', 'schedule-2']],
    [
      'another time, and a new line above it',
      ['3', '4'],
      ['9', '3', '5'],
      ['schedule-3 new', 'schedule-1', 'schedule-2'],
    ],
    ['one that replaces another elsewhere', ['3', '4'], ['4', '5'], ['schedule-2', 'schedule-3 new']],
    ['a name for one that had none', ['3', '4'], ['4', 'a=3'], ['schedule-2', 'schedule-1 → a']],
    ['a name and other inputs', ['3 x'], ['a=3 y'], ['schedule-1 → a']],
    ['a name and another time', ['3'], ['a=4'], ['a new']],
    ['another time under the same name', ['a=3', 'b=4'], ['b=3', 'a=4'], ['b', 'a']],
    ['another name for the same', ['a=3 x'], ['b=3 x'], ['a → b']],
    ['another name, with other inputs', ['a=3 x'], ['b=3 y'], ['b new']],
    ['no name any more', ['a=3', '4'], ['4', '3'], ['schedule-1', 'a']],
    ['no name any more, and another time', ['a=3'], ['4'], ['schedule-1 new']],
    ['equal ones, of which one is left out', ['3', '3'], ['3'], ['schedule-1']],
    [
      'a name that looks like a number',
      ['3'],
      ['3', 'schedule-7=4', '5'],
      ['schedule-1', 'schedule-7 new', 'schedule-8 new'],
    ],
  ])('are found again with %s', (_, before, now, expected) => {
    expect(matches(before, now)).toEqual(expected);
  });

  test('are those of an older version again when they come back', () => {
    expect(matches(['3', '4'], ['4'], ['3', '4'])).toEqual(['schedule-1 back', 'schedule-2']);
    expect(matches(['a=3'], [], ['a=5'])).toEqual(['a back']);
  });

  test('get no name that another one had', () => {
    expect(matches(['3', '4'], ['3'], ['3', '5'])).toEqual(['schedule-1', 'schedule-3 new']);
    expect(matches(['3'], ['a=3'], ['a=3', '4'])).toEqual(['a', 'schedule-2 new']);
  });

  test('are found again where nothing is known about their inputs', () => {
    const stored = after(['3 x', '4 y']).map((one) => ({ ...one, inputs: null }));
    const matched = matchSchedules('w', stored, wanted('4 y', '3 x'));
    expect(matched.map(({ before }) => before?.id)).toEqual(['w.schedule-2', 'w.schedule-1']);
  });
});

/**
 * Goal: a schedule that stays in a file keeps its name, while other lines are written, moved and left out.
 * Method: a part of any file is deployed first, then all of it in another order.
 */
test('a schedule that stays in the file is the same schedule after lines around it came and went', () => {
  const hours = uniqueArray(nat({ max: 23 }), { minLength: 1, maxLength: 8 });
  assert(
    property(hours, infiniteStream(nat({ max: 99 })), (all, random) => {
      const rank = new Map(all.map((hour) => [hour, random.next().value as number]));
      const name = (hour: number): string => ((rank.get(hour) ?? 0) % 5 === 0 ? `n${hour}=${hour}` : String(hour));
      const before = all.filter((hour) => (rank.get(hour) ?? 0) % 3 !== 0).map(name);
      const now = all.toSorted((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0)).map(name);
      const stored = new Map(after(before).map(({ times, id }) => [times, id]));
      const matched = matchSchedules('w', after(before), wanted(...now));
      expect(new Set(matched.map(({ id }) => id)).size).toBe(now.length);
      for (const { id, wanted: one, before: known } of matched) {
        expect(known?.id).toBe(stored.get(one.times));
        expect(id).toBe(known?.id ?? id);
      }
    }),
  );
});
