/** Asking a run to stop. Asked once, recorded once (I6), however many ask. */
import type { Run } from '@baton/engine';

import type { RunAppender } from './runAppender.ts';
import { appendOutside, checkUnfinished } from './runAppender.ts';

/** The run as it was asked; undefined where there is none. Rejects with `ProblemError` and `UnavailableError`. */
export async function cancelRun(
  outside: RunAppender,
  runId: string,
  { by, reason }: { readonly by: string; readonly reason: string | undefined },
): Promise<Run | undefined> {
  return appendOutside(outside, runId, (run, at) => {
    checkUnfinished(run);
    if (run.cancel !== undefined) return [];
    return [{ type: 'run.cancelRequested', at, by, ...(reason === undefined ? {} : { reason }) }];
  });
}
