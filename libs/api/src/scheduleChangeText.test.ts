import { expect, test } from 'vitest';

import { scheduleChangeText } from './scheduleChangeText.ts';
import type { ScheduleChange } from './schemas/schedule.ts';

const text = (given: Partial<ScheduleChange>): string | undefined =>
  scheduleChangeText({ id: 'n.a', change: 'same', times: '0 3 * * *', timezone: 'UTC', paused: false, ...given });

test('a schedule that runs as before is not mentioned after a deployment', () => {
  expect(text({})).toBeUndefined();
});

test.each([
  [{ change: 'new' }, 'is new.'],
  [{ change: 'gone', paused: true }, 'is gone; it was paused.'],
  [{ change: 'returned', paused: true }, 'is back; it is paused.'],
  [
    { change: 'changed', before: { times: '0 4 * * *', timezone: 'Asia/Tokyo' } },
    'has changed; it was 0 4 * * * (Asia/Tokyo).',
  ],
  [{ change: 'renamed', before: { id: 'n.schedule-1' } }, 'has a new name; it was n.schedule-1.'],
  [{ change: 'moved' }, 'has moved within the file.'],
  [{ paused: true }, 'is paused.'],
] as const)(
  'after a deployment, a schedule with %j is described by its name, its times and what changed',
  (given, end) => {
    expect(text(given)).toBe(`The schedule n.a, 0 3 * * * (UTC), ${end}`);
  },
);
