/** Calls of the general tools. */
import { ProblemError } from '@baton/api';
import {
  cancelRun,
  rerun,
  type RerunOrder,
  checkEndingEffectsOf,
  isRunOf,
  type Principal,
  answerQuestion,
  checkAnswerEffects,
  questionsIn,
  runIdIn,
  shownRerun,
  type GeneralName,
} from '@baton/control';
import { type RunEvent, isEnded } from '@baton/engine';
import { type Json, type JsonObject, languageGuide } from '@baton/language';
import { withHint } from '@baton/primitives';
import { isRunId } from '@baton/store';
import type { CallToolResult } from '@modelcontextprotocol/server';

import { authorPageNames, isAuthorPage, readAuthorPage } from '../docs/authorPages.ts';
import { validated } from '../http/validation.ts';
import { type TriggerCallOptions, callTriggers } from './callTriggers.ts';
import { followRun } from './following.ts';
import type { GeneralAnswer, ObjectAnswers } from './generalAnswers.ts';
import { checkScope, generalTools as tools } from './generalTools.ts';
import { runsPage } from './listedRuns.ts';
import { listedWorkflows } from './listedWorkflows.ts';
import { endOfRunCall, getRunCall } from './nextForRun.ts';
import { briefRun, eventsOf, runNotFound } from './shownRun.ts';
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
      if (!(await isRunOf(options, id, principal, checkEndingEffectsOf))) throw runNotFound(id);
      const run = await cancelRun(options, id, { by: principal.by, reason });
      if (run === undefined) throw runNotFound(id);
      const next = isEnded(run)
        ? `The run is over: ${getRunCall(id)} shows what it did.`
        : `Cancelling has begun. ${endOfRunCall(id)} shows when it is over.`;
      return answerOf(name, { id, status: run.status, next });
    }
    case 'retry_run': {
      const { id, version, preview } = validated(tools.retry_run.input, given, 'body');
      const order = { kind: 'retry', version, isPreview: preview === true } as const;
      return answerOf(name, await rerunOrRetry(options, principal, id, order));
    }
    case 'rerun_run': {
      const { id, preview, ...wanted } = validated(tools.rerun_run.input, given, 'body');
      const order = { kind: 'rerun', ...wanted, isPreview: preview === true } as const;
      return answerOf(name, await rerunOrRetry(options, principal, id, order));
    }
    case 'answer_question': {
      const { id, answer } = validated(tools.answer_question.input, given, 'body');
      const runId = runIdIn(id);
      const questions = runId === undefined ? [] : questionsIn(runId, await eventsOf(options, principal, runId));
      const question = questions.find((one) => one.id === id);
      if (question === undefined) throw await questionNotFound(options, principal, id);
      await checkAnswerEffects(principal, options, question);
      const taken = await answerQuestion(options, question, { answer: answer as Json, by: principal.by });
      const next = `The run goes on: ${endOfRunCall(question.runId)} shows how it ends.`;
      return answerOf(name, { answer: taken, next });
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

async function rerunOrRetry(
  options: WorkflowCallOptions,
  principal: Principal,
  runId: string,
  wanted: Pick<RerunOrder, 'kind' | 'from' | 'inputs' | 'version' | 'isPreview'>,
): Promise<GeneralAnswer<'rerun_run'>> {
  const journal = await eventsOf(options, principal, runId);
  const begun = shownRerun(
    runId,
    await rerun(options, { ...wanted, journal, runId, principal, idempotency: undefined }),
  );
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
  await eventsOf(options, principal, runId);
  const { journal, watches, clock } = options;
  const { signal } = context.mcpReq;
  let isCancelling = false;
  const onEvents = (events: readonly RunEvent[]): void => {
    isCancelling ||= events.some(({ type }) => type === 'run.cancelRequested');
  };
  // A question of a run that is being cancelled is open until a worker closes it.
  const stopsAt = (): boolean => !isCancelling;
  await followRun({ journal, watches, clock, runId, forMs, signal, stopsAt, onEvents });
}

/** The id of a run is often taken for that of its question. */
async function questionNotFound(options: WorkflowCallOptions, principal: Principal, id: string): Promise<ProblemError> {
  const missing = `There is no question ${JSON.stringify(id.slice(0, 80))}.`;
  const events = isRunId(id) ? await eventsOf(options, principal, id).catch(() => undefined) : undefined;
  const open = events && questionsIn(id, events).find(({ isOpen }) => isOpen);
  const hint = open === undefined ? '' : ` That is a run; its open question is ${JSON.stringify(open.id)}.`;
  return new ProblemError('not-found', missing + hint);
}

const answerOf = <Name extends keyof ObjectAnswers>(_: Name, value: GeneralAnswer<Name>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: { ...value },
});
