/** A tool call as a run: starts it, follows it, asks the caller its questions, and returns its outputs. */
import { createHash } from 'node:crypto';

import { ProblemError } from '@baton/api';
import {
  control,
  type RerunOptions,
  idempotencyOf,
  type RunStarter,
  type Principal,
  type RunWatches,
  type AskedQuestion,
  runIdIn,
  type RunView,
} from '@baton/control';
import { type Question, type RunEvent, replay, rowOf } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type JsonObject, defined } from '@baton/primitives';
import { getRun, isRunId } from '@baton/store';
import {
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  inputRequired,
  inputResponse,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import { type Caller, askFor, finishedAnswer, keyOf, lateAnswer, questionAsText } from './answers.ts';
import { converse, waitMs } from './dialogs.ts';
import { type Outcome, followForCaller } from './following.ts';
import { type NewTask, newTask } from './newTask.ts';
import { cancelUnlessOver, eventsOfOwn, takeElicited } from './ownRuns.ts';
import type { AskedSample } from './pendingSamples.ts';
import { RunProgress, sendProgress } from './runProgress.ts';
import {
  type SampleCorrection,
  answerSample,
  callerAbsent,
  clientFailed,
  samplingRequest,
  takeAnswer,
} from './sampling.ts';

export interface WorkflowCallOptions extends RerunOptions {
  readonly starter: RunStarter;
  readonly watches: RunWatches;
  readonly view: RunView;
}

/** A client's request, and what the client can do. */
export interface ClientRequest {
  readonly principal: Principal;
  readonly context: ServerContext;
  /** Whether the client can ask its user this question. */
  readonly canAsk: (question: Question) => boolean;
  /** Whether the client can ask its model. */
  readonly canSample: boolean;
  /** Whether the client accepts a task as an answer. */
  readonly canTask: boolean;
}

export interface WorkflowCallRequest extends ClientRequest, Caller {
  /** Its questions are sent to it during its call; else they are the answer of the call, and the client calls again. */
  readonly isAskedDuringCall: boolean;
  /** Why the client did not answer the last question. */
  readonly dialogFailure?: string;
}

/** A client that supports tasks polls, so it waits only for runs that end at once. */
const taskWaitMs = 1_000;

/**
 * Identifies a repeated start: the client's own key, or, if Baton itself calls, the attempt. Absent: each call starts a
 * run.
 */
function startKeyOf({ mcpReq: { _meta } }: ServerContext): unknown {
  const key = _meta?.['idempotencyKey'];
  if (key !== undefined) return key;
  const attempt = _meta?.['baton/attempt'];
  return typeof attempt === 'string' ? `attempt:${createHash('sha256').update(attempt).digest('hex')}` : undefined;
}

/** The model was told what was wrong with its answer. */
const secondTryMark = /-again$/;
const secondTry = ({ id }: AskedSample): string => `${id}-again`;

type WorkflowCallAnswer = CallToolResult | InputRequiredResult | NewTask;

export class WorkflowCalls {
  readonly #options: WorkflowCallOptions;

  constructor(options: WorkflowCallOptions) {
    this.#options = options;
  }

  /** Rejects with `ProblemError` and `UnavailableError`. */
  async call(workflow: string, inputs: JsonObject, asked: WorkflowCallRequest): Promise<WorkflowCallAnswer> {
    const before = asked.context.mcpReq.requestState<string>();
    const runId =
      before === undefined ? await this.#start(workflow, inputs, asked) : await this.#resume(before, asked.principal);
    if (!asked.isAskedDuringCall) return this.#follow(runId, asked);
    return converse({
      context: asked.context,
      requestIn: (answer) => (isInputRequiredResult(answer) ? answer : undefined),
      follow: (context, failed) =>
        this.#follow(runId, { ...asked, context, ...defined({ dialogFailure: failed?.failure }) }),
    });
  }

  async #start(
    workflow: string,
    inputs: JsonObject,
    { principal, tool, context }: WorkflowCallRequest,
  ): Promise<string> {
    const depth = await this.#depthOf(context);
    if (depth > limits.run.depth) {
      throw new ProblemError('validation-failed', `Runs are nested ${limits.run.depth} deep at the most.`);
    }
    const detail = { tool, request: String(context.mcpReq.id) };
    const idempotency = idempotencyOf(startKeyOf(context), principal.id, { mcp: workflow, inputs });
    const started = { order: { workflow }, inputs, trigger: { kind: 'mcp', detail }, depth, idempotency } as const;
    return (await control.startWorkflow(this.#options, principal, started)).runId;
  }

  /**
   * If a run of ours calls us through MCP, the request names the attempt, so that workflows that call each other have a
   * depth limit.
   */
  async #depthOf({ mcpReq }: ServerContext): Promise<number> {
    const attempt = mcpReq._meta?.['baton/attempt'];
    const runId = typeof attempt === 'string' ? attempt.slice(0, 36) : '';
    const caller = isRunId(runId) ? await getRun(this.#options.store, runId) : undefined;
    return caller === undefined ? 0 : caller.depth + 1;
  }

  /** The client returns to the run with answers. */
  async #resume(state: string, principal: Principal): Promise<string> {
    const runId = runIdIn(state.replace(secondTryMark, '')) ?? '';
    const events = await eventsOfOwn(this.#options.journal, runId, principal, 'mcp');
    if (events === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not valid.');
    return runId;
  }

  async #follow(runId: string, asked: WorkflowCallRequest): Promise<WorkflowCallAnswer> {
    const { context, canAsk, principal } = asked;
    const progress = await this.#progressOf(runId, context);
    /** Each answer in the request counts once. */
    const used = new Set<string>();
    for (;;) {
      const outcome = await followForCaller({
        ...this.#options,
        runId,
        forMs: asked.canTask ? taskWaitMs : waitMs,
        signal: context.mcpReq.signal,
        // A client that cannot ask its user learns it at once, instead of waiting for another person's answer.
        stopsAt: ({ question }) => canAsk(question) || !asked.canTask,
        onEvents: (events) => noteProgress(context, events, progress),
      });
      if (outcome.kind === 'asked' && !used.has(keyOf(outcome.question))) {
        used.add(keyOf(outcome.question));
        const taken = await this.#takeAnswer(outcome.question, asked);
        if (taken === 'taken') continue;
        if (taken !== 'none') return questionAsText(runId, outcome.question, taken.detail);
      }
      if (outcome.kind === 'sampled') {
        const answer = await this.#handleSample(outcome.sample, asked, used);
        if (answer === undefined) continue;
        return answer;
      }
      if (outcome.kind === 'left') {
        await cancelUnlessOver(this.#options, principal, { id: runId, reason: 'the call was cancelled' });
      }
      return this.#answer(runId, outcome, asked);
    }
  }

  /**
   * Whether the request contains the answer, or what is wrong with it. A client that declines does not want the run to
   * continue.
   */
  async #takeAnswer(
    question: AskedQuestion,
    { principal, context, dialogFailure }: WorkflowCallRequest,
  ): Promise<'taken' | 'none' | { readonly detail: string }> {
    if (dialogFailure !== undefined && context.mcpReq.requestState<string>() === question.id)
      return { detail: `this client failed to put the question (${dialogFailure})` };
    const given = inputResponse(context.mcpReq.inputResponses, keyOf(question));
    if (given.kind !== 'elicit') return 'none';
    try {
      await takeElicited(this.#options, principal, question, given);
    } catch (error) {
      // If the question was answered or closed meanwhile, there is nothing to do.
      if (!(error instanceof ProblemError) || error.code !== 'validation-failed') throw error;
      return { detail: error.message };
    }
    return 'taken';
  }

  /** What to ask the client; undefined if there is an answer, or will be none: then the run continues. */
  async #handleSample(
    sample: AskedSample,
    { principal, context, canSample, dialogFailure }: WorkflowCallRequest,
    used: Set<string>,
  ): Promise<WorkflowCallAnswer | undefined> {
    const by = principal.by;
    if (!canSample) {
      await answerSample(this.#options, sample, callerAbsent, by);
      return undefined;
    }
    const state = context.mcpReq.requestState<string>();
    if (dialogFailure !== undefined && (state === sample.id || state === secondTry(sample))) {
      await answerSample(this.#options, sample, clientFailed(dialogFailure), by);
      return undefined;
    }
    const key = keyOf(sample);
    const given = inputResponse(context.mcpReq.inputResponses, key);
    if (used.has(key) || given.kind !== 'sampling') return this.#askModel(sample, by, []);
    used.add(key);
    const mayTryAgain = state !== secondTry(sample);
    const correction = await takeAnswer(this.#options, sample, { result: given.result, by, mayTryAgain });
    return correction && this.#askModel(sample, by, correction);
  }

  async #askModel(
    sample: AskedSample,
    by: string,
    correction: SampleCorrection,
  ): Promise<WorkflowCallAnswer | undefined> {
    const request = await samplingRequest(this.#options, sample, correction);
    if ('failure' in request) {
      await answerSample(this.#options, sample, request, by);
      return undefined;
    }
    const inputRequests = { [keyOf(sample)]: inputRequired.createMessage(request.params) };
    return inputRequired({ inputRequests, requestState: correction.length === 0 ? sample.id : secondTry(sample) });
  }

  /** Undefined if the client does not want progress. Rejects with `UnavailableError`. */
  async #progressOf(runId: string, { mcpReq }: ServerContext): Promise<RunProgress | undefined> {
    const run = mcpReq._meta?.progressToken === undefined ? undefined : await getRun(this.#options.store, runId);
    return run && new RunProgress(await this.#options.plans(run.definition));
  }

  async #answer(
    runId: string,
    outcome: Exclude<Outcome, { kind: 'sampled' }>,
    asked: WorkflowCallRequest,
  ): Promise<WorkflowCallAnswer> {
    const { canAsk, canTask } = asked;
    switch (outcome.kind) {
      case 'asked':
        return canAsk(outcome.question.question) ? askFor(outcome.question) : questionAsText(runId, outcome.question);
      case 'finished':
        return finishedAnswer(this.#options.view, runId, outcome.events, asked);
      case 'late': {
        const run = replay(runId, outcome.events);
        return canTask ? newTask(run) : lateAnswer({ id: runId, ...rowOf(run) }, asked);
      }
      case 'left':
        return { content: [{ type: 'text', text: 'The call was cancelled.' }], isError: true };
    }
  }
}

function noteProgress(context: ServerContext, events: readonly RunEvent[], progress: RunProgress | undefined): void {
  if (progress === undefined) return;
  const done = progress.take(events);
  const last = events.findLast((event) => 'path' in event);
  if (last === undefined) return;
  const message = `${last.path}: ${last.type.slice(last.type.indexOf('.') + 1)}`;
  sendProgress(context, { progress: done, total: progress.total, message });
}
