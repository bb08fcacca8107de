import * as z from 'zod';

import { apiLimits } from '../apiLimits.ts';
import { route } from '../route.ts';
import { CostQuerySchema, CostsSchema } from '../schemas/cost.ts';
import { EvaluatedSchema, EvaluateRequestSchema } from '../schemas/evaluate.ts';
import {
  EventQuerySchema,
  FeedPageSchema,
  FeedQuerySchema,
  RunEventSchema,
  StreamHeadersSchema,
} from '../schemas/event.ts';
import { LearnedWorkflowSchema, LearnRequestSchema } from '../schemas/learn.ts';
import { RerunResultSchema, RerunRequestSchema, RetryRequestSchema } from '../schemas/rerun.ts';
import {
  CancellingRunSchema,
  CancelRequestSchema,
  CancelRunsSchema,
  HistogramQuerySchema,
  HistogramSchema,
  ManyRunsSchema,
  RetryRunsSchema,
  FailureCausesQuerySchema,
  FailureCausesSchema,
  RunFilterSchema,
  RunInListSchema,
  RunSchema,
} from '../schemas/run.ts';
import { HookChallengeSchema, IgnoredHookSchema } from '../schemas/service.ts';
import { SignalledRunSchema, SignalRequestSchema } from '../schemas/signal.ts';
import {
  AcceptedRunSchema,
  AnyRunRequestSchema,
  EndedRunSchema,
  RunRequestSchema,
  StartHeadersSchema,
} from '../schemas/startRun.ts';
import { UndoRequestSchema, UndoResultSchema } from '../schemas/undo.ts';
import { UnknownOutcomesQuerySchema, UnknownOutcomesSchema } from '../schemas/unknownOutcome.ts';
import { AnyValueSchema, ByIdSchema, pageOf } from '../schemas/values.ts';
import { ByWorkflowSchema } from '../schemas/workflow.ts';
import type { Access } from '../scopes.ts';

const tag = 'Runs';
const reading = ['runs:read', 'runs:write'] as const satisfies Access;
const writing = ['runs:write'] as const satisfies Access;

const started = {
  200: z.union([RunSchema, EndedRunSchema]).meta({
    description: 'The finished run, if the request waited for it; its outcome alone with `return=minimal`.',
  }),
  202: AcceptedRunSchema.meta({ description: 'The run is recorded, and will be executed.' }),
};

const again = { 200: RerunResultSchema.meta({ description: 'A preview; no run is started.' }), 202: RerunResultSchema };

const streamsNote = ` Each key may have ${apiLimits.streamsOfKey} open streams per orchestrator.`;

const pageOrStream = <Page extends z.ZodType>(page: Page, description: string) => ({
  description,
  content: { 'application/json': { schema: page }, 'text/event-stream': { schema: z.string() } },
});

const manyNote = 'Without `preview` it needs `expect`. It acts on the newest 10,000 at most; ask again for the others.';

export const runRoutes = {
  startWorkflow: route('startWorkflow', {
    tag,
    summary: 'Start a run of a workflow',
    access: writing,
    params: ByWorkflowSchema,
    headers: StartHeadersSchema,
    body: RunRequestSchema,
    answers: started,
  }),
  startRun: route('startRun', {
    tag,
    summary: 'Start a run of a deployed workflow, or of a workflow in the body',
    access: writing,
    headers: StartHeadersSchema,
    body: AnyRunRequestSchema,
    answers: started,
  }),
  listRuns: route('listRuns', {
    tag,
    summary: 'List runs',
    description: 'Newest first. New runs do not shift the pages.',
    access: reading,
    query: RunFilterSchema,
    answers: { 200: pageOf(RunInListSchema) },
  }),
  getRunHistogram: route('getRunHistogram', {
    tag,
    summary: 'Count runs by time and status',
    access: reading,
    query: HistogramQuerySchema,
    answers: { 200: HistogramSchema },
  }),
  getCosts: route('getCosts', {
    tag,
    summary: 'Sum what models cost',
    description: 'By day, workflow, model and key. The sums stay where their runs are removed.',
    access: reading,
    query: CostQuerySchema,
    answers: { 200: CostsSchema },
  }),
  getFailureCauses: route('getFailureCauses', {
    tag,
    summary: 'Group failed runs by cause',
    description:
      'Most frequent first. A run that failed because of one of its child runs does not count beside that run.',
    access: reading,
    query: FailureCausesQuerySchema,
    answers: { 200: FailureCausesSchema },
  }),
  listUnknownOutcomes: route('listUnknownOutcomes', {
    tag,
    summary: 'List calls whose outcome is not known',
    description:
      'Each was sent and may or may not have happened. Grouped by what lost the answers: a session that broke, a worker that died. A call is in the list until an answer comes late, a check or a person finds out, or another attempt follows.',
    access: reading,
    query: UnknownOutcomesQuerySchema,
    answers: { 200: UnknownOutcomesSchema },
  }),
  cancelRuns: route('cancelRuns', {
    tag,
    summary: 'Cancel many runs',
    description: `Cancels the unfinished runs that match the filter. ${manyNote}`,
    access: writing,
    body: CancelRunsSchema,
    answers: { 200: ManyRunsSchema },
  }),
  retryRuns: route('retryRuns', {
    tag,
    summary: 'Retry many runs',
    description: `Retries the failed and cancelled runs that match the filter. ${manyNote}`,
    access: writing,
    headers: StartHeadersSchema,
    body: RetryRunsSchema,
    answers: { 200: ManyRunsSchema },
  }),
  getRun: route('getRun', {
    tag,
    summary: 'Show a run and its steps',
    access: reading,
    params: ByIdSchema,
    answers: { 200: RunSchema },
  }),
  getRunValue: route('getRunValue', {
    tag,
    summary: 'Show a large value of a run',
    access: reading,
    params: z.strictObject({ id: z.string(), sha256: z.string().regex(/^[\da-f]{64}$/) }),
    answers: { 200: AnyValueSchema },
  }),
  listRunEvents: route('listRunEvents', {
    tag,
    summary: 'List the events of a run',
    description: `The run’s journal. JSON answers are pages. \`text/event-stream\` sends events as they happen, with \`id:\` = position, and ends after the last event of the run.${streamsNote}`,
    access: reading,
    params: ByIdSchema,
    query: EventQuerySchema,
    headers: StreamHeadersSchema,
    answers: { 200: pageOrStream(pageOf(RunEventSchema), 'A page of events, or a stream of events.') },
  }),
  cancelRun: route('cancelRun', {
    tag,
    summary: 'Cancel a run',
    description: 'Baton cancels running calls and gives them a grace period. `undo` and `finally` steps still run.',
    access: writing,
    params: ByIdSchema,
    body: CancelRequestSchema.nullish(),
    answers: { 202: CancellingRunSchema },
  }),
  retryRun: route('retryRun', {
    tag,
    summary: 'Retry a run that failed or was cancelled',
    description:
      'Starts a new run with the same inputs. It keeps the outcomes of finished steps. Of a run that succeeded although items of a `forEach` failed, these items run again, and what came after them. With `version` it continues with another version of the workflow, and keeps the outcomes of calls that both versions make.',
    access: writing,
    params: ByIdSchema,
    headers: StartHeadersSchema,
    body: RetryRequestSchema.nullish(),
    answers: again,
  }),
  undoRun: route('undoRun', {
    tag,
    summary: 'Undo what a run wrote',
    description:
      'Starts a run that makes the calls which the server configuration declares to take back the writes of a finished run, the last write first. A write whose answer was lost is looked up with its declared check first. A write is undone once: asked again, the answer names the same run; where calls of it failed, a new run makes those.',
    access: writing,
    params: ByIdSchema,
    body: UndoRequestSchema.nullish(),
    answers: {
      200: UndoResultSchema.meta({ description: 'A preview; no run is started.' }),
      202: UndoResultSchema,
    },
  }),
  rerunRun: route('rerunRun', {
    tag,
    summary: 'Run again from a step',
    description:
      'Starts a new run. It keeps the outcomes before that step; without a step it starts from the beginning. With `version` it uses another version of the workflow, and keeps the earlier outcomes of calls that both versions make.',
    access: writing,
    params: ByIdSchema,
    headers: StartHeadersSchema,
    body: RerunRequestSchema.nullish(),
    answers: again,
  }),
  evaluateRun: route('evaluateRun', {
    tag,
    summary: 'Try an expression on the values of a run',
    description: 'Evaluates the expression with the values that a step of the run sees. Nothing is changed.',
    access: reading,
    params: ByIdSchema,
    body: EvaluateRequestSchema,
    answers: { 200: EvaluatedSchema },
  }),
  learnFromRun: route('learnFromRun', {
    tag,
    summary: 'Learn a workflow from a run',
    description:
      'Makes a workflow of the calls of a session at the gateway, or of any run, and replays it with the recorded answers. Nothing is deployed, and no server is called.',
    access: reading,
    params: ByIdSchema,
    body: LearnRequestSchema.nullish(),
    answers: { 200: LearnedWorkflowSchema },
  }),
  signalRun: route('signalRun', {
    tag,
    summary: 'Send a signal to a run',
    description: 'The run keeps the signal until a step waits for it.',
    access: writing,
    params: z.strictObject({ id: z.string(), name: z.string() }),
    body: SignalRequestSchema.nullish(),
    answers: { 202: SignalledRunSchema },
  }),
  listEvents: route('listEvents', {
    tag,
    summary: 'List the events of all runs',
    description: `JSON answers are pages of events after a position. \`text/event-stream\` sends events as they happen, with \`id:\` = position. Each event comes once; the events of one run come in order.${streamsNote}`,
    access: reading,
    query: FeedQuerySchema,
    headers: StreamHeadersSchema,
    answers: { 200: pageOrStream(FeedPageSchema, 'A page of events, or a stream of events.') },
  }),
  receiveHook: route('receiveHook', {
    tag,
    summary: 'Start a run with a webhook',
    description:
      'The sender signs the bytes of the body as Standard Webhooks, GitHub, Slack or Stripe do. A repeated delivery starts no second run. An unknown hook and a wrong signature get the same answer.',
    access: 'public',
    // Plain strings, so that an invalid name is answered like an unknown hook.
    params: z.strictObject({ workflow: z.string(), hook: z.string() }),
    query: z.record(z.string(), z.unknown()),
    text: {
      description: 'Any body; JSON is parsed.',
      types: {
        'application/json': {},
        'application/x-www-form-urlencoded': { type: 'string' },
        'text/plain': { type: 'string' },
      },
    },
    answers: { 200: z.union([IgnoredHookSchema, HookChallengeSchema]), 202: AcceptedRunSchema },
  }),
};
