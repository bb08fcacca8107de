import { FailureError } from '@baton/engine';

import type { JournalForgery, OpenRun } from '../ports/journal.ts';

/** Thrown instead of reading a run from a journal that Baton did not write alone. */
export class ForgedJournalError extends FailureError {
  readonly runId: string;
  readonly forgery: JournalForgery;

  constructor(runId: string, forgery: JournalForgery) {
    const { seq, message } = forgery;
    super('integrity-lost', `Event ${seq} of the journal is forged: ${message} See \`baton audit verify\`.`);
    this.runId = runId;
    this.forgery = forgery;
  }
}

export function checkForgery(runId: string, { forgery }: OpenRun): void {
  if (forgery !== undefined) throw new ForgedJournalError(runId, forgery);
}
