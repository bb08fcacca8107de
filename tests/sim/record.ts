/** What the referee has of a run. */
import type { Run, RunEvent } from '@baton/engine';

export interface WrittenEvent {
  readonly event: RunEvent;
  readonly at: number;
}

/** A run as the journal has it: `states[n]` is what its first n events make of it. */
export interface Record {
  readonly written: WrittenEvent[];
  readonly states: (Run | undefined)[];
}
