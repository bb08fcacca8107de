/** What a driver learned of its calls and children, and has to record. */
import type { AttemptReport, EventOf } from '@baton/engine';

/** That a child is over, or, where it is not waited for, that it exists. */
export type ChildEvent = EventOf<'child.finished'> | EventOf<'child.started'>;

export interface ChildNews {
  readonly event: ChildEvent;
  /** The attempt of the step that asked for the child. */
  readonly attempt: number;
  /** Told whether the event is durable, or needs no record any more. False: this driver will not write it. */
  readonly onSettled?: (isSettled: boolean) => void;
}

/** The news that the events of one append account for. */
export interface AccountedNews {
  readonly reports: readonly AttemptReport[];
  readonly ofChildren: readonly ChildNews[];
}

export const noNews: AccountedNews = { reports: [], ofChildren: [] };

export function sayWhetherSaved({ ofChildren }: Pick<AccountedNews, 'ofChildren'>, isSaved: boolean): void {
  for (const { onSettled } of ofChildren) onSettled?.(isSaved);
}
