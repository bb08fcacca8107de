/** Ends of calls and children that a driver has to record. */
import type { AttemptReport, EventOf } from '@baton/engine';

/** A child run ended; or a detached child run was created. */
export type ChildEvent = EventOf<'child.finished'> | EventOf<'child.started'>;

export interface ChildNews {
  readonly event: ChildEvent;
  /** The attempt of the step that requested the child. */
  readonly attempt: number;
  /** Called with true when the event is durable or no longer needed; with false when this driver will not write it. */
  readonly onSettled?: (isSettled: boolean) => void;
}

/** The news that the events of one append account for. */
export interface AccountedNews {
  readonly reports: readonly AttemptReport[];
  readonly childNews: readonly ChildNews[];
}

export const noNews: AccountedNews = { reports: [], childNews: [] };

export function notifySettled({ childNews }: Pick<AccountedNews, 'childNews'>, isSaved: boolean): void {
  for (const { onSettled } of childNews) onSettled?.(isSaved);
}
