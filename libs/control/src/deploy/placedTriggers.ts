/** The schedules of a workflow as deploying stores them. */
import { type TriggerPlan, instantsAfter } from '@baton/language';
import { digestOf } from '@baton/protocol';
import type { PlacedTrigger } from '@baton/store';

/** Without the first instant, which is known when the schedule is placed. */
export type ScheduleParts = Omit<PlacedTrigger, 'nextAt'>;

export function schedulePartsOf(triggers: readonly TriggerPlan[]): readonly ScheduleParts[] {
  return triggers.flatMap((trigger) => {
    if (trigger.kind !== 'schedule') return [];
    const { key, id, times, timezone, overlap, catchUp, catchUpWindowMs, writtenInputs } = trigger;
    const named = id === undefined ? {} : { id };
    return [{ key, ...named, times, timezone, overlap, catchUp, catchUpWindowMs, inputs: digestOf(writtenInputs) }];
  });
}

export function placedTriggers(parts: readonly ScheduleParts[], nowMs: number): readonly PlacedTrigger[] {
  return parts.map((part) => {
    const [nextAt] = instantsAfter(part, nowMs).take(1);
    return { ...part, nextAt };
  });
}
