/** The built-in tools: list and start workflows, and look after runs. */
import type { Scope } from '@baton/api';
import { ProblemError, RerunRequestSchema, RetryRequestSchema } from '@baton/api';
import { isEnded } from '@baton/engine';
import type { Json, JsonObject } from '@baton/language';
import { languageGuide } from '@baton/language';
import { isRunId, listWorkflows } from '@baton/store';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { validated } from '../http/validation.ts';
import { cancelRun } from '../intake/cancel.ts';
import type { RerunOrder } from '../intake/rerun.ts';
import { rerun } from '../intake/rerun.ts';
import { checkEndingEffectsOf } from '../keys/effects.ts';
import { isRunOf } from '../keys/isRunOf.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';
import { answerQuestion, checkAnswerEffects } from '../questions/answer.ts';
import { questionsIn, runIdIn } from '../questions/openQuestions.ts';
import { shownRerun } from '../shapes/rerun.ts';
import { runsPage } from './listedRuns.ts';
import type { WorkflowCallRequest, WorkflowCallOptions, WorkflowCalls } from './workflowCall.ts';
import { workflowSource } from './workflowSource.ts';

interface GeneralTool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Record<string, unknown>>;
  readonly isReading: boolean;
  readonly scopes: readonly Scope[];
}

const RunRef = z.strictObject({ id: z.string() });
const Values = z.record(z.string(), z.unknown());

const tools = {
  list_workflows: {
    title: 'List workflows',
    description: 'Lists the workflows that can be started, ordered by name; `next` gets the next page.',
    input: z.strictObject({ after: z.string().optional().describe('`next` of the answer before.') }),
    isReading: true,
    scopes: ['runs:read', 'runs:write', 'workflows:write'],
  },
  get_workflow: {
    title: 'Show a workflow',
    description: 'Returns the text of a deployed workflow, of its newest version or of `version`.',
    input: z.strictObject({ workflow: z.string(), version: z.int().min(1).optional() }),
    isReading: true,
    scopes: ['runs:read', 'runs:write', 'workflows:write'],
  },
  read_language: {
    title: 'Read the workflow language',
    description: 'Returns the workflow language on two pages. Read it before you write or change a workflow.',
    input: z.strictObject({}),
    isReading: true,
    scopes: ['workflows:write'],
  },
  run_workflow: {
    title: 'Run a workflow',
    description: 'Starts a run and waits for its end for a while; then returns the id of the run.',
    input: z.strictObject({ workflow: z.string(), inputs: Values.default({}) }),
    isReading: false,
    scopes: ['runs:write'],
  },
  list_runs: {
    title: 'List runs',
    description: 'Lists the newest runs first: id, workflow, status, failure; `next` gets the next page.',
    input: z.strictObject({
      workflow: z.string().optional(),
      status: z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']).optional(),
      limit: z.int().min(1).max(100).default(20),
      after: z.string().optional().describe('`next` of the answer before.'),
    }),
    isReading: true,
    scopes: ['runs:read', 'runs:write'],
  },
  get_run: {
    title: 'Show a run',
    description: 'Returns status, inputs, outputs, steps and open questions of a run.',
    input: RunRef,
    isReading: true,
    scopes: ['runs:read', 'runs:write'],
  },
  cancel_run: {
    title: 'Cancel a run',
    description: 'Cancels a run.',
    input: z.strictObject({ id: z.string(), reason: z.string().max(500).optional() }),
    isReading: false,
    scopes: ['runs:write'],
  },
  retry_run: {
    title: 'Retry a run',
    description:
      'Starts a new run that continues where a failed or cancelled run ended: outcomes of finished steps are kept. With `version` it continues with a corrected version of the workflow, and keeps the outcomes that both versions share. `preview` only lists the calls that would be repeated.',
    input: z.strictObject({ id: z.string(), ...RetryRequestSchema.shape }),
    isReading: false,
    scopes: ['runs:write'],
  },
  rerun_run: {
    title: 'Run a finished run again',
    description:
      'Starts a new run like a finished one, from the beginning or from a step, optionally with other inputs or another version. `preview` only lists the calls that would be repeated.',
    input: z.strictObject({ id: z.string(), ...RerunRequestSchema.shape }),
    isReading: false,
    scopes: ['runs:write'],
  },
  answer_question: {
    title: 'Answer a question',
    description: 'Answers a question of a run, in the form that it asks for.',
    input: z.strictObject({ id: z.string(), answer: Values }),
    isReading: false,
    scopes: ['questions:answer'],
  },
} as const satisfies Record<string, GeneralTool>;

type Name = keyof typeof tools;

export const isGeneral = (name: string): name is Name => Object.hasOwn(tools, name);

export const generalNames: readonly string[] = Object.keys(tools);

const generalTools = Object.entries(tools).map(([name, { title, description, input, isReading, scopes }]) => ({
  scopes,
  tool: {
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as Tool['inputSchema'],
    // A started or answered run has the effect of its workflow; cancelling one may undo what it did.
    annotations: { title, readOnlyHint: isReading, destructiveHint: !isReading },
  },
}));

/** The tools that the key may call. */
export const generalToolsFor = (principal: Principal): readonly Tool[] =>
  generalTools.filter(({ scopes }) => may(principal, scopes)).map(({ tool }) => tool);

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function callGeneral(
  options: WorkflowCallOptions,
  calls: WorkflowCalls,
  name: Name,
  given: JsonObject,
  asked: WorkflowCallRequest,
): Promise<Awaited<ReturnType<WorkflowCalls['call']>>> {
  const { principal } = asked;
  checkScope(principal, name);
  switch (name) {
    case 'list_workflows': {
      const { after } = validated(tools.list_workflows.input, given, 'body');
      const reached = principal.workflows && { among: [...principal.workflows] };
      const page = { limit: 200, ...(after === undefined ? {} : { after }), ...reached };
      const { workflows, next } = await listWorkflows(options.store, page);
      return told({ workflows: workflows.map(({ id, title, description }) => ({ id, title, description })), next });
    }
    case 'get_workflow':
      return told(await workflowSource(options, principal, validated(tools.get_workflow.input, given, 'body')));
    case 'read_language':
      validated(tools.read_language.input, given, 'body');
      return { content: [{ type: 'text', text: languageGuide() }] };
    case 'run_workflow': {
      const { workflow, inputs } = validated(tools.run_workflow.input, given, 'body');
      return calls.call(workflow, inputs as JsonObject, asked);
    }
    case 'list_runs':
      return told(await runsPage(options, principal, validated(tools.list_runs.input, given, 'body')));
    case 'get_run':
      return told(await shownRun(options, principal, validated(tools.get_run.input, given, 'body').id));
    case 'cancel_run': {
      const { id, reason } = validated(tools.cancel_run.input, given, 'body');
      if (!(await isRunOf(options, id, principal, checkEndingEffectsOf))) throw runNotFound(id);
      const run = await cancelRun(options, id, { by: principal.by, reason });
      const isOver = run !== undefined && isEnded(run);
      const next = isOver
        ? {}
        : { next: `Cancelling has begun. get_run with { "id": "${id}" } shows when it is over.` };
      return told({ id, status: run?.status, ...next });
    }
    case 'retry_run': {
      const { id, version, preview } = validated(tools.retry_run.input, given, 'body');
      return told(await rerunOrRetry(options, principal, id, { kind: 'retry', version, isPreview: preview === true }));
    }
    case 'rerun_run': {
      const { id, preview, ...wanted } = validated(tools.rerun_run.input, given, 'body');
      const order = { kind: 'rerun', ...wanted, isPreview: preview === true } as const;
      return told(await rerunOrRetry(options, principal, id, order));
    }
    case 'answer_question': {
      const { id, answer } = validated(tools.answer_question.input, given, 'body');
      const runId = runIdIn(id);
      const questions = runId === undefined ? [] : questionsIn(runId, await eventsOf(options, principal, runId));
      const question = questions.find((one) => one.id === id);
      if (question === undefined) throw await questionNotFound(options, principal, id);
      await checkAnswerEffects(principal, options, question);
      const taken = await answerQuestion(options, question, { answer: answer as Json, by: principal.by });
      return told({
        answer: taken,
        next: `The run goes on: get_run with { "id": "${question.runId}" } shows how it ends.`,
      });
    }
  }
}

async function rerunOrRetry(
  options: WorkflowCallOptions,
  principal: Principal,
  runId: string,
  wanted: Pick<RerunOrder, 'kind' | 'from' | 'inputs' | 'version' | 'isPreview'>,
): Promise<object> {
  const journal = await eventsOf(options, principal, runId);
  const begun = shownRerun(
    runId,
    await rerun(options, { ...wanted, journal, runId, principal, idempotency: undefined }),
  );
  const next =
    begun.id === undefined
      ? 'Nothing is started yet: call again without `preview`.'
      : `The run goes on: get_run with { "id": "${begun.id}" } shows how it ends.`;
  return { ...begun, next };
}

export function checkScope(principal: Principal, name: Name): void {
  const { scopes } = tools[name];
  if (!may(principal, scopes))
    throw new ProblemError('forbidden', `This needs a key with the scope ${scopes.join(' or ')}.`);
}

/** Shows open questions too. Rejects with `ProblemError` if the key may see no such run. */
export async function shownRun(options: WorkflowCallOptions, principal: Principal, id: string): Promise<object> {
  const events = await eventsOf(options, principal, id);
  const questions = questionsIn(id, events).filter(({ isOpen }) => isOpen);
  const shown = await options.view.shown(id, events);
  const asked = questions.map(({ id, path, question: { message, form } }) => ({ id, step: path, message, form }));
  return asked.length === 0 ? shown : { ...shown, openQuestions: asked };
}

/** The id of a run is often taken for that of its question. */
async function questionNotFound(options: WorkflowCallOptions, principal: Principal, id: string): Promise<ProblemError> {
  const missing = `There is no question ${JSON.stringify(id.slice(0, 80))}.`;
  const events = isRunId(id) ? await eventsOf(options, principal, id).catch(() => undefined) : undefined;
  const open = events && questionsIn(id, events).find(({ isOpen }) => isOpen);
  const hint = open === undefined ? '' : ` That is a run; its open question is ${JSON.stringify(open.id)}.`;
  return new ProblemError('not-found', missing + hint);
}

/** Rejects with `ProblemError` if the key may see no such run. */
export async function eventsOf({ journal }: WorkflowCallOptions, principal: Principal, id: string) {
  const opened = isRunId(id) ? await journal.open(id) : undefined;
  const [first] = opened?.events ?? [];
  const isThere = first?.type === 'run.requested' && maySee(principal, first.workflow);
  if (opened === undefined || !isThere) throw runNotFound(id);
  return opened.events;
}

const runNotFound = (id: string): ProblemError =>
  new ProblemError('not-found', `There is no run ${JSON.stringify(id.slice(0, 80))}.`);

const told = (value: object): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
