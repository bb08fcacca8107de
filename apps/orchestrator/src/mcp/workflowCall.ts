import type { Run, RunEvent } from '@baton/engine';
import { replay } from '@baton/engine';
/** A tool call that is a run: started, followed, its questions put to the caller, its outputs handed back. */
import { limits } from '@baton/language';
import type { Json, JsonObject } from '@baton/language';
import type { Store } from '@baton/store';
import { getRun, isRunId } from '@baton/store';
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';

import { ProblemError } from '../http/problem.ts';
import { cancelRun } from '../intake/cancel.ts';
import type { Outside } from '../intake/outside.ts';
import type { Starter, Wanted } from '../intake/starter.ts';
import type { Principal } from '../keys/scopes.ts';
import type { Watches } from '../live/watches.ts';
import { answerQuestion } from '../questions/answer.ts';
import type { AskedQuestion } from '../questions/openQuestions.ts';
import { questionsIn } from '../questions/openQuestions.ts';
import type { RunView } from '../shapes/runView.ts';
import { isSimpleForm } from './elicitation.ts';
import type { Outcome } from './following.ts';
import { followRun } from './following.ts';

export interface WorkflowCallOptions extends Outside {
  readonly store: Store;
  readonly starter: Starter;
  readonly watches: Watches;
  readonly view: RunView;
}

export interface Asked {
  readonly principal: Principal;
  readonly context: ServerContext;
  /** Whether the client can put a form to its user. */
  readonly canAsk: boolean;
}

/** Clients give up after a minute where nothing is said; a long run goes on, and the call answers with its handle. */
const waitMs = 50_000;
const questionKey = 'answer';

type Answer = CallToolResult | InputRequiredResult;

export class WorkflowCalls {
  readonly #options: WorkflowCallOptions;

  constructor(options: WorkflowCallOptions) {
    this.#options = options;
  }

  /** Rejects with `ProblemError` and `UnavailableError`. */
  async call(workflow: string, inputs: JsonObject, asked: Asked): Promise<Answer> {
    const before = asked.context.mcpReq.requestState<string>();
    const runId =
      before === undefined ? await this.#start({ workflow }, inputs, asked) : await this.#goOn(before, asked);
    return this.#follow(runId, asked);
  }

  async #start(wanted: Wanted, inputs: JsonObject, { principal, context }: Asked): Promise<string> {
    const depth = await this.#depthOf(context);
    if (depth > limits.run.depth) {
      throw new ProblemError('validation-failed', `Runs are nested ${limits.run.depth} deep at the most.`);
    }
    const detail = { tool: 'workflow' in wanted ? wanted.workflow : '', request: String(context.mcpReq.id) };
    const order = { inputs, by: principal.id, principal, trigger: { kind: 'mcp', detail }, depth } as const;
    return (await this.#options.starter.start(wanted, order)).runId;
  }

  /** A run of ours that calls us through MCP says which attempt asks: workflows that call each other so have an end. */
  async #depthOf({ mcpReq }: ServerContext): Promise<number> {
    const attempt = mcpReq._meta?.['baton/attempt'];
    const runId = typeof attempt === 'string' ? attempt.slice(0, 36) : '';
    const caller = isRunId(runId) ? await getRun(this.#options.store, runId) : undefined;
    return caller === undefined ? 0 : caller.depth + 1;
  }

  /** The client comes back with an answer to what the run asked. */
  async #goOn(runId: string, { principal, context }: Asked): Promise<string> {
    const opened = isRunId(runId) ? await this.#options.journal.open(runId) : undefined;
    const isTheirs = opened !== undefined && replay(runId, opened.events).by === principal.id;
    if (!isTheirs) throw new ProblemError('not-found', 'This call goes on with a run that is not there.');
    const question = questionsIn(runId, opened.events).find(({ isOpen }) => isOpen);
    const given = inputResponse(context.mcpReq.inputResponses, questionKey);
    if (question === undefined || given.kind !== 'elicit') return runId;
    if (given.action === 'accept') {
      await answerQuestion(this.#options, question, { answer: (given.content ?? {}) as Json, by: principal.id });
    } else {
      await cancelRun(this.#options, runId, {
        by: principal.id,
        reason: `the question was ${given.action}d by the caller`,
      });
    }
    return runId;
  }

  async #follow(runId: string, { context, canAsk, principal }: Asked): Promise<Answer> {
    const { journal, watches, clock } = this.#options;
    const outcome = await followRun({
      journal,
      watches,
      clock,
      runId,
      forMs: waitMs,
      signal: context.mcpReq.signal,
      stopsAt: ({ question }) => canAsk && isSimpleForm(question.form),
      onEvents: (events, position) => tell(context, events, position),
    });
    if (outcome.kind === 'left') {
      await cancelRun(this.#options, runId, { by: principal.id, reason: 'the call was cancelled' }).catch(ifOver);
    }
    return this.#answer(runId, outcome);
  }

  async #answer(runId: string, outcome: Outcome): Promise<Answer> {
    switch (outcome.kind) {
      case 'asked':
        return askFor(outcome.question);
      case 'finished': {
        const { status, outputs, error } = await this.#options.view.shown(runId, outcome.events);
        if (status === 'succeeded') return answerWith(runId, (outputs ?? {}) as JsonObject);
        const message = error === undefined ? `The run was ${status}.` : `${error.code}: ${error.message}`;
        return { content: [{ type: 'text', text: message }, linkTo(runId)], isError: true };
      }
      case 'late': {
        const { status } = replay(runId, outcome.events);
        return answerWith(runId, { run: { id: runId, status } });
      }
      case 'left':
        return { content: [{ type: 'text', text: 'The call was cancelled.' }], isError: true };
    }
  }
}

function askFor({ runId, question }: AskedQuestion): InputRequiredResult {
  const requestedSchema = question.form as Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];
  return inputRequired({
    inputRequests: { [questionKey]: inputRequired.elicit({ message: question.message, requestedSchema }) },
    requestState: runId,
  });
}

const linkTo = (runId: string) =>
  ({ type: 'resource_link', uri: `run://${runId}`, name: `run ${runId}`, mimeType: 'application/json' }) as const;

const answerWith = (runId: string, value: JsonObject): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }, linkTo(runId)],
  structuredContent: value,
});

/** Where the client asked to be told. What cannot be told is no reason to stop. */
function tell({ mcpReq }: ServerContext, events: readonly RunEvent[], position: number): void {
  const progressToken = mcpReq._meta?.progressToken;
  const last = events.findLast((event) => 'path' in event);
  if (progressToken === undefined || last === undefined) return;
  const message = `${last.path}: ${last.type.slice(last.type.indexOf('.') + 1)}`;
  void mcpReq
    .notify({ method: 'notifications/progress', params: { progressToken, progress: position, message } })
    .catch(() => undefined);
}

function ifOver(error: unknown): Run | undefined {
  if (error instanceof ProblemError) return undefined;
  throw error;
}
