import type { RunEvent } from '@baton/engine';

/** Whether the run asks a person something with this event. */
export const isQuestion = (event: RunEvent): boolean =>
  event.type === 'question.asked' || (event.type === 'step.waiting' && event.awaiting.for === 'answer');
