/**
 * Runs as tasks: the extension `io.modelcontextprotocol/tasks` of 2026-07-28. A call that takes longer than a moment
 * gets a task as its answer: the run under its own id. The client polls it, answers its questions, and cancels it.
 * Everything about a task follows from the journal.
 */
import { ProblemError } from '@baton/api';
import { questionsIn } from '@baton/control';
import { type Run, type RunEvent, isEnded, replay } from '@baton/engine';
import { isObject } from '@baton/primitives';
import {
  type InputRequests,
  type InputResponses,
  type Server,
  type ServerContext,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

import { elicitation, finishedAnswer } from './answers.ts';
import { type McpTask, taskOf } from './newTask.ts';
import { cancelUnlessOver, eventsOfOwn, takeElicited } from './ownRuns.ts';
import { openSample } from './pendingSamples.ts';
import { answerSample, callerAbsent, samplingRequest, takeAnswer } from './sampling.ts';
import type { ClientRequest, WorkflowCallOptions } from './workflowCall.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

const TaskRef = z.looseObject({ taskId: z.string() });
const Update = z.looseObject({ taskId: z.string(), inputResponses: z.record(z.string(), z.unknown()).optional() });

/** `requestOf`: the client and its capabilities; throws if the client does not support tasks. */
export function serveTasks(
  server: Server,
  options: WorkflowCallOptions,
  clientRequestOf: (context: ServerContext) => ClientRequest,
): void {
  server.setRequestHandler('tasks/get', { params: TaskRef }, async ({ taskId }, context) => {
    const callRequest = clientRequestOf(context);
    return shownTask(options, taskId, await eventsOf(options, taskId, callRequest), callRequest);
  });
  server.setRequestHandler('tasks/update', { params: Update }, async ({ taskId, inputResponses }, context) => {
    const callRequest = clientRequestOf(context);
    const events = await eventsOf(options, taskId, callRequest);
    // The SDK removes the answers from the request.
    const given = (context.mcpReq.inputResponses ?? inputResponses ?? {}) as InputResponses;
    await takeAnswers(options, taskId, { events, given, callRequest });
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: TaskRef }, async ({ taskId }, context) => {
    const callRequest = clientRequestOf(context);
    await eventsOf(options, taskId, callRequest);
    await cancelUnlessOver(options, callRequest.principal, { id: taskId, reason: 'the task was cancelled' });
    return {};
  });
}

async function eventsOf({ journal }: WorkflowCallOptions, taskId: string, { principal }: ClientRequest) {
  const events = await eventsOfOwn(journal, taskId, principal, 'mcp');
  if (events === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task.');
  return events;
}

async function shownTask(
  options: WorkflowCallOptions,
  taskId: string,
  events: readonly RunEvent[],
  callRequest: ClientRequest,
): Promise<McpTask & { readonly result?: object; readonly inputRequests?: InputRequests }> {
  const run = replay(taskId, events);
  if (isEnded(run)) {
    if (run.status === 'cancelled') return taskOf(run, 'cancelled');
    // A failed run is a completed task whose tool reports a failure; the state `failed` would mean that the call itself
    // failed.
    const caller = { principal: callRequest.principal, tool: toolOf(run) };
    return { ...taskOf(run, 'completed'), result: await finishedAnswer(options.view, taskId, events, caller) };
  }
  const inputRequests = await wanted(options, taskId, events, callRequest);
  if (Object.keys(inputRequests).length === 0) return taskOf(run, 'working');
  return { ...taskOf(run, 'input_required'), inputRequests };
}

/** The tool whose call began the task. */
function toolOf({ trigger: { detail } }: Run): string {
  return isObject(detail) && typeof detail['tool'] === 'string' ? detail['tool'] : '';
}

/** The questions of the run that this client can answer. Each keeps its key until the run ends. */
async function wanted(
  options: WorkflowCallOptions,
  taskId: string,
  events: readonly RunEvent[],
  { principal, canAsk, canSample }: ClientRequest,
): Promise<InputRequests> {
  const questions = openQuestions(taskId, events, canAsk);
  const requests = Object.fromEntries(questions.map((question) => [question.id, elicitation(question)]));
  const sample = openSample(taskId, events);
  if (sample === undefined) return requests;
  const request = canSample ? await samplingRequest(options, sample, []) : callerAbsent;
  if ('params' in request) return { ...requests, [sample.id]: inputRequired.createMessage(request.params) };
  await answerSample(options, sample, request, principal.by);
  return requests;
}

const openQuestions = (taskId: string, events: readonly RunEvent[], canAsk: ClientRequest['canAsk']) =>
  questionsIn(taskId, events).filter(({ isOpen, question }) => isOpen && canAsk(question));

interface TaskInputs {
  readonly events: readonly RunEvent[];
  readonly given: InputResponses;
  readonly callRequest: ClientRequest;
}

/** Ignores answers to closed questions. Rejects with `ProtocolError` for an answer that does not fit. */
async function takeAnswers(options: WorkflowCallOptions, taskId: string, { events, given, callRequest }: TaskInputs) {
  const { by } = callRequest.principal;
  for (const question of openQuestions(taskId, events, callRequest.canAsk)) {
    const answer = inputResponse(given, question.id);
    if (answer.kind !== 'elicit') continue;
    await takeElicited(options, callRequest.principal, question, answer).catch(asProtocolError);
  }
  const sample = openSample(taskId, events);
  const response = sample === undefined ? undefined : inputResponse(given, sample.id);
  if (sample !== undefined && response?.kind === 'sampling')
    await takeAnswer(options, sample, { result: response.result, by, mayTryAgain: false });
}

function asProtocolError(error: unknown): never {
  if (!(error instanceof ProblemError)) throw error;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
}
