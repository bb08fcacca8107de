/** Calls of the general tools. */
import { ProblemError } from '@baton/api';
import { control, type GeneralName, shownRerun, shownUndo, type UndoOptions, withScope } from '@baton/control';
import { type RunEvent, isEnded } from '@baton/engine';
import { languageGuide } from '@baton/language';
import { type Json, type JsonObject, withHint } from '@baton/primitives';

import { authorPageNames, isAuthorPage, readAuthorPage } from '../docs/authorPages.ts';
import { validated } from '../http/validation.ts';
import type { GeneralAnswer } from '../tools/generalAnswers.ts';
import { type TriggerCallOptions, triggerHandlers } from './callTriggers.ts';
import { followForCaller } from './following.ts';
import { type GeneralHandlers, checkScope, generalTools as tools } from './generalTools.ts';
import { runsPage } from './listedRuns.ts';
import { listedWorkflows } from './listedWorkflows.ts';
import { endOfRunCall, getRunCall } from './nextForRun.ts';
import { briefRun } from './shownRun.ts';
import type { WorkflowCallOptions, WorkflowCallRequest, WorkflowCalls } from './workflowCall.ts';
import { workflowSource } from './workflowSource.ts';

export type GeneralOptions = WorkflowCallOptions & TriggerCallOptions & UndoOptions;

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function callGeneral(
  options: GeneralOptions,
  calls: WorkflowCalls,
  name: GeneralName,
  given: JsonObject,
  asked: WorkflowCallRequest,
): Promise<Awaited<ReturnType<WorkflowCalls['call']>>> {
  const { context } = asked;
  checkScope(asked.principal, name);
  const principal = withScope(asked.principal, tools[name].scopes);
  if (name === 'read_language') {
    const { page } = validated(tools[name].input, given, 'body');
    return { content: [{ type: 'text', text: page === undefined ? languageGuide() : await authorPage(page) }] };
  }
  if (name === 'run_workflow') {
    const { workflow, inputs } = validated(tools[name].input, given, 'body');
    return calls.call(workflow, inputs as JsonObject, asked);
  }
  const handle = handlers[name] as (call: object, input: unknown) => Promise<object>;
  const answer = await handle({ options, principal, context }, validated(tools[name].input, given, 'body'));
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: { ...answer } };
}

const handlers: GeneralHandlers<GeneralOptions> = {
  ...triggerHandlers,
  list_workflows: ({ options, principal }, { after }) => listedWorkflows(options, principal, after),
  get_workflow: ({ options, principal }, wanted) => workflowSource(options, principal, wanted),
  list_runs: ({ options, principal }, wanted) => runsPage(options, principal, wanted),
  get_run: async (call, { waitSeconds, ...wanted }) => {
    if (waitSeconds > 0) await waitFor(call, wanted.id, waitSeconds * 1_000);
    return briefRun(call.options, call.principal, wanted);
  },
  cancel_run: async ({ options, principal }, { id, reason }) => {
    const run = await control.cancelRun(options, principal, { id, reason });
    const next = isEnded(run)
      ? `The run is over: ${getRunCall(id)} shows what it did.`
      : `Cancelling has begun. ${endOfRunCall(id)} shows when it is over.`;
    return { id, status: run.status, next };
  },
  retry_run: async ({ options, principal }, { preview, ...wanted }) => {
    const order = { ...wanted, isPreview: preview === true, idempotency: undefined };
    return shownBegun(wanted.id, await control.retryRun(options, principal, order));
  },
  rerun_run: async ({ options, principal }, { preview, ...wanted }) => {
    const order = { ...wanted, isPreview: preview === true, idempotency: undefined };
    return shownBegun(wanted.id, await control.rerunRun(options, principal, order));
  },
  undo_run: async ({ options, principal }, { id, preview }) => {
    const undo = shownUndo(id, await control.undoRun(options, principal, { id, isPreview: preview === true }));
    const next =
      undo.id === undefined
        ? 'Nothing is started yet: call again without `preview`, if a person wants it.'
        : `The run ${undo.id} is its undo: ${endOfRunCall(undo.id)} shows how it ends.`;
    return { ...undo, next };
  },
  answer_question: async ({ options, principal }, { id, answer: given }) => {
    const { asked, answer } = await control.answerQuestion(options, principal, { id, answer: given as Json });
    return { answer, next: `The run goes on: ${endOfRunCall(asked.runId)} shows how it ends.` };
  },
};

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
  { options, principal, context }: Parameters<typeof handlers.get_run>[0],
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
