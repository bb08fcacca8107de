/** Requests that a run be cancelled. The first request is recorded, further ones change nothing (I6). */
import type { Run } from '@baton/engine';

import { type RunAppender, appendOutside, checkUnfinished } from './runAppender.ts';

/**
 * Resolves to the run after the request; undefined if there is none. Rejects with `ProblemError` and
 * `UnavailableError`.
 */
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
