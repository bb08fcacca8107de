import type { Client, Run } from '@baton/api/client';

import type { WorkflowOutline } from '../tree/outline.ts';
import type { Reporter } from './reporter.ts';
import { RunView } from './runView.ts';

export interface WatchOptions {
  readonly reporter: Reporter;
  /** Where the plan is known: what is to come is shown too. */
  readonly outline?: WorkflowOutline | undefined;
  /** When it is aborted, the run goes on without us. */
  readonly signal?: AbortSignal;
}

/**
 * Follows a run to its end and tells `reporter` of everything; resolves to the run as it ended, with its outputs.
 * Undefined where `signal` was aborted first. Rejects with `ProblemError` or `UnreachableError`.
 */
export async function watchRun(client: Client, runId: string, options: WatchOptions): Promise<Run | undefined> {
  const { reporter, outline, signal } = options;
  const view = new RunView(runId, outline);
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
