/** Runs of the client's own key: over MCP, only the key that started a run may continue with it. */
import { ProblemError } from '@baton/api';
import { type AskedQuestion, answerQuestion, control, type Principal } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import type { Journal } from '@baton/runner';
import { isRunId } from '@baton/store';
import type { inputResponse } from '@modelcontextprotocol/server';

import { consent } from './answers.ts';

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

/**
 * Takes the client's answer to a question of its run. A client that declines does not want the run to continue. Rejects
 * with `ProblemError` for an answer that does not fit, and with `UnavailableError`.
 */
export async function takeElicited(
  parts: Parameters<typeof control.cancelRun>[0],
  principal: Principal,
  question: AskedQuestion,
  given: Extract<ReturnType<typeof inputResponse>, { kind: 'elicit' }>,
): Promise<void> {
  if (given.action === 'accept') {
    await answerQuestion(parts, question, { answer: consent(question, given.content), by: principal.by });
    return;
  }
  const reason = `the question was ${given.action === 'decline' ? 'declined' : 'dismissed'} by the caller`;
  await cancelUnlessOver(parts, principal, { id: question.runId, reason });
}
