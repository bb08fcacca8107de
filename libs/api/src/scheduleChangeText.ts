import type { ScheduleChange } from './schemas/schedule.ts';

const texts: Readonly<Record<Exclude<ScheduleChange['change'], 'same'>, string>> = {
  new: 'is new',
  gone: 'is gone',
  returned: 'is back',
  changed: 'has changed',
  renamed: 'has a new name',
  moved: 'has moved within the file',
};

/** What a deployment did to a schedule, as a sentence; undefined: it runs as before. */
export function scheduleChangeText({
  id,
  change,
  times,
  timezone,
  paused,
  before,
}: ScheduleChange): string | undefined {
  if (change === 'same' && !paused) return undefined;
  const older = [
    ...(before?.id === undefined ? [] : [before.id]),
    ...(before?.times === undefined ? [] : [`${before.times} (${before.timezone})`]),
  ];
  const done = change === 'same' ? [] : [`${texts[change]}${older.length === 0 ? '' : `; it was ${older.join(', ')}`}`];
  const held = paused ? [change === 'gone' ? 'it was paused' : 'it is paused'] : [];
  return `The schedule ${id}, ${times} (${timezone}), ${[...done, ...held].join('; ').replace(/^it /, '')}.`;
}
