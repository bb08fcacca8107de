/** Runs of the client's own key: over MCP, only the key that started a run may continue with it. */
import { ProblemError } from '@baton/api';
import { control, type Principal } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import type { Journal } from '@baton/runner';
import { isRunId } from '@baton/store';

/** Undefined for an unknown run and for a run of another key. Rejects with `UnavailableError`. */
export async function eventsOfOwn(
  journal: Journal,
  runId: string,
  principal: Principal,
): Promise<readonly RunEvent[] | undefined> {
  const events = isRunId(runId) ? (await journal.open(runId))?.events : undefined;
  const first = events?.[0];
  return first?.type === 'run.requested' && first.by === principal.by ? events : undefined;
}

/** Leaves an ended run as it is. Rejects with `UnavailableError`. */
export async function cancelUnlessOver(
  parts: Parameters<typeof control.cancelRun>[0],
  principal: Principal,
  order: { readonly id: string; readonly reason: string },
): Promise<void> {
  try {
    await control.cancelRun(parts, principal, order);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
}
