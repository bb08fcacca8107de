import type { Client, Run } from '@baton/api/client';

import type { WorkflowOutline } from '../tree/outline.ts';
import type { Reporter } from './reporter.ts';
import { WatchedRun } from './watchedRun.ts';

export interface WatchOptions {
  readonly reporter: Reporter;
  /** If the plan is known, pending steps are shown too. */
  readonly outline?: WorkflowOutline | undefined;
  /** Aborting stops watching; the run continues. */
  readonly signal?: AbortSignal;
}

/**
 * Follows a run to its end and passes everything to `reporter`. Resolves to the ended run with its outputs; undefined
 * if `signal` was aborted first. Rejects with `ProblemError` or `UnreachableError`.
 */
export async function watchRun(client: Client, runId: string, options: WatchOptions): Promise<Run | undefined> {
  const { reporter, outline, signal } = options;
  const view = new WatchedRun(runId, outline);
  try {
    const events = client.runs.follow(runId, {
      onConnection: (connection) => reporter.connection(connection, view),
      ...(signal === undefined ? {} : { signal }),
    });
    for await (const followed of events) {
      view.take(followed);
      reporter.event(followed, view);
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return undefined;
  } finally {
    reporter.end(view);
  }
  return client.runs.get(runId);
}
