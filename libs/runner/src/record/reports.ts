/** Ends of calls and children that a driver has to record. */
import type { AttemptReport, EventOf } from '@baton/engine';

/** A child run ended; or a detached child run was created. */
export type ChildEvent = EventOf<'child.finished'> | EventOf<'child.started'>;

export interface ChildReport {
  readonly event: ChildEvent;
  /** The attempt of the step that requested the child. */
  readonly attempt: number;
  /** Called with true when the event is durable or no longer needed; with false when this driver will not write it. */
  readonly onSettled?: (isSettled: boolean) => void;
}

/** The reports that the events of one append record. */
export interface RecordedReports {
  readonly attempts: readonly AttemptReport[];
  readonly children: readonly ChildReport[];
}

export const noReports: RecordedReports = { attempts: [], children: [] };

export function notifySettled(children: readonly ChildReport[], isSettled: boolean): void {
  for (const { onSettled } of children) onSettled?.(isSettled);
}
