/** Calls of the general tools. */
import { ProblemError } from '@baton/api';
import { control, type GeneralName, shownRerun } from '@baton/control';
import { type RunEvent, isEnded } from '@baton/engine';
import { languageGuide } from '@baton/language';
import { type Json, type JsonObject, withHint } from '@baton/primitives';
import type { CallToolResult } from '@modelcontextprotocol/server';

import { authorPageNames, isAuthorPage, readAuthorPage } from '../docs/authorPages.ts';
import { validated } from '../http/validation.ts';
import { type TriggerCallOptions, callTriggers } from './callTriggers.ts';
import { followForCaller } from './following.ts';
import type { GeneralAnswer, ObjectAnswers } from './generalAnswers.ts';
import { checkScope, generalTools as tools } from './generalTools.ts';
import { runsPage } from './listedRuns.ts';
import { listedWorkflows } from './listedWorkflows.ts';
import { endOfRunCall, getRunCall } from './nextForRun.ts';
import { briefRun } from './shownRun.ts';
import type { WorkflowCallOptions, WorkflowCallRequest, WorkflowCalls } from './workflowCall.ts';
import { workflowSource } from './workflowSource.ts';

export type GeneralOptions = WorkflowCallOptions & TriggerCallOptions;

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function callGeneral(
  options: GeneralOptions,
  calls: WorkflowCalls,
  name: GeneralName,
  given: JsonObject,
  asked: WorkflowCallRequest,
): Promise<Awaited<ReturnType<WorkflowCalls['call']>>> {
  const { principal } = asked;
  checkScope(principal, name);
  switch (name) {
    case 'list_workflows': {
      const { after } = validated(tools.list_workflows.input, given, 'body');
      return answerOf(name, await listedWorkflows(options, principal, after));
    }
    case 'get_workflow':
      return answerOf(
        name,
        await workflowSource(options, principal, validated(tools.get_workflow.input, given, 'body')),
      );
    case 'read_language': {
      const { page } = validated(tools.read_language.input, given, 'body');
      return { content: [{ type: 'text', text: page === undefined ? languageGuide() : await authorPage(page) }] };
    }
    case 'run_workflow': {
      const { workflow, inputs } = validated(tools.run_workflow.input, given, 'body');
      return calls.call(workflow, inputs as JsonObject, asked);
    }
    case 'list_runs':
      return answerOf(name, await runsPage(options, principal, validated(tools.list_runs.input, given, 'body')));
    case 'get_run': {
      const { waitSeconds, ...wanted } = validated(tools.get_run.input, given, 'body');
      if (waitSeconds > 0) await waitFor(options, asked, wanted.id, waitSeconds * 1_000);
      return answerOf(name, await briefRun(options, principal, wanted));
    }
    case 'cancel_run': {
      const { id, reason } = validated(tools.cancel_run.input, given, 'body');
      const run = await control.cancelRun(options, principal, { id, reason });
      const next = isEnded(run)
        ? `The run is over: ${getRunCall(id)} shows what it did.`
        : `Cancelling has begun. ${endOfRunCall(id)} shows when it is over.`;
      return answerOf(name, { id, status: run.status, next });
    }
    case 'retry_run': {
      const { preview, ...wanted } = validated(tools.retry_run.input, given, 'body');
      const order = { ...wanted, isPreview: preview === true, idempotency: undefined };
      return answerOf(name, shownBegun(wanted.id, await control.retryRun(options, principal, order)));
    }
    case 'rerun_run': {
      const { preview, ...wanted } = validated(tools.rerun_run.input, given, 'body');
      const order = { ...wanted, isPreview: preview === true, idempotency: undefined };
      return answerOf(name, shownBegun(wanted.id, await control.rerunRun(options, principal, order)));
    }
    case 'answer_question': {
      const { id, answer: answered } = validated(tools.answer_question.input, given, 'body');
      const { asked: question, answer } = await control.answerQuestion(options, principal, {
        id,
        answer: answered as Json,
      });
      return answerOf(name, { answer, next: `The run goes on: ${endOfRunCall(question.runId)} shows how it ends.` });
    }
    default:
      return answerOf(name, await callTriggers(options, principal, name, given));
  }
}

/** Rejects with `ProblemError` if there is no such page. */
async function authorPage(name: string): Promise<string> {
  if (isAuthorPage(name)) return readAuthorPage(name);
  const missing = `There is no page ${JSON.stringify(name.slice(0, 80))}.`;
  throw new ProblemError('not-found', withHint(missing, `the pages are ${authorPageNames.join(', ')}`));
}

function shownBegun(runId: string, rerun: Parameters<typeof shownRerun>[1]): GeneralAnswer<'rerun_run'> {
  const begun = shownRerun(runId, rerun);
  const next =
    begun.id === undefined
      ? 'Nothing is started yet: call again without `preview`.'
      : `The run goes on: ${endOfRunCall(begun.id)} shows how it ends.`;
  return { ...begun, next };
}

/** Resolves when the run has ended, asks, or can only wait. Rejects with `ProblemError` if the key may see no such run. */
async function waitFor(
  options: WorkflowCallOptions,
  { principal, context }: WorkflowCallRequest,
  runId: string,
  forMs: number,
): Promise<void> {
  await control.listRunEvents(options, principal, { id: runId });
  const { journal, watches, clock } = options;
  const { signal } = context.mcpReq;
  let isCancelling = false;
  const onEvents = (events: readonly RunEvent[]): void => {
    isCancelling ||= events.some(({ type }) => type === 'run.cancelRequested');
  };
  // A question of a run that is being cancelled is open until a worker closes it.
  const stopsAt = (): boolean => !isCancelling;
  await followForCaller({ journal, watches, clock, runId, forMs, signal, stopsAt, onEvents });
}

const answerOf = <Name extends keyof ObjectAnswers>(_: Name, value: GeneralAnswer<Name>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: { ...value },
});
