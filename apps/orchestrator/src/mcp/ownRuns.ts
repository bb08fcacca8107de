/** Calls that a client makes as runs: over MCP, only the client that called may continue with the call. */
import { ProblemError } from '@baton/api';
import {
  type AskedQuestion,
  answerQuestion,
  checkAnswerEffects,
  control,
  isSameActor,
  may,
  maySee,
  onWorkflow,
  type Principal,
} from '@baton/control';
import type { RunEvent } from '@baton/engine';
import type { Journal } from '@baton/runner';
import { isRunId } from '@baton/store';
import type { inputResponse } from '@modelcontextprotocol/server';

import { consent } from './answers.ts';

/**
 * The events of the run that a call of this client began. Undefined for every other run: a person's browser, their other
 * clients and their schedules start runs as the same person. Undefined also for a caller that may no longer start the
 * workflow and see its values. `kind`: `mcp` is the call of a workflow, `session` that of a tool at the gateway. Rejects
 * with `UnavailableError`.
 */
export async function eventsOfOwn(
  journal: Journal,
  runId: string,
  principal: Principal,
  kind: 'mcp' | 'session',
): Promise<readonly RunEvent[] | undefined> {
  const events = isRunId(runId) ? (await journal.open(runId))?.events : undefined;
  const first = events?.[0];
  if (first?.type !== 'run.requested' || first.trigger.kind !== kind) return undefined;
  const isOwn = isSameActor(first.by, principal.by) && first.via === principal.client?.name;
  return isOwn && (kind === 'session' || mayContinue(principal, first.workflow)) ? events : undefined;
}

function mayContinue(principal: Principal, workflow: string): boolean {
  const acting = onWorkflow(principal, workflow);
  return maySee(acting, workflow) && may(acting, ['runs:write']) && acting.hidesValues !== true;
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
  parts: Parameters<typeof control.answerQuestion>[0],
  principal: Principal,
  question: AskedQuestion,
  given: Extract<ReturnType<typeof inputResponse>, { kind: 'elicit' }>,
): Promise<void> {
  if (given.action === 'accept') {
    await checkAnswerEffects(principal, parts, question);
    await answerQuestion(parts, question, { answer: consent(question, given.content), by: principal.by });
    return;
  }
  const reason = `the question was ${given.action === 'decline' ? 'declined' : 'dismissed'} by the caller`;
  await cancelUnlessOver(parts, principal, { id: question.runId, reason });
}
