/** Schedules as answers of the API: with their next times, and the last time that was refused. */
import { type Schedule as ScheduleAnswer, instant } from '@baton/api';
import { instantsAfter, shownTimes } from '@baton/language';
import type { RefusedFiring, Schedule } from '@baton/store';

/** Empty while it is paused. */
export function nextTimes(schedule: Schedule, nowMs: number): string[] {
  const { paused, nextAt } = schedule;
  if (paused !== undefined) return [];
  return instantsAfter(schedule, Math.max(nowMs, (nextAt ?? nowMs) - 1))
    .take(5)
    .map(instant)
    .toArray();
}

export function shownSchedule(schedule: Schedule, nowMs: number, refused?: RefusedFiring): ScheduleAnswer {
  const { id, workflow, version, times, timezone, overlap, catchUp, paused } = schedule;
  const next = nextTimes(schedule, nowMs);
  const held = paused === undefined ? {} : { pausedAt: instant(paused.at), pausedBy: paused.by };
  const failed =
    refused === undefined ? {} : { refused: { instant: instant(refused.instant), reason: refused.reason } };
  return {
    id,
    workflow,
    version,
    ...shownTimes(times),
    timezone,
    overlap,
    catchUp,
    paused: paused !== undefined,
    ...held,
    next,
    ...failed,
  };
}
