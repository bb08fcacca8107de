import * as z from 'zod';

import { apiLimits } from '../apiLimits.ts';
import { route } from '../route.ts';
import {
  EventQuerySchema,
  FeedPageSchema,
  FeedQuerySchema,
  RunEventSchema,
  StreamHeadersSchema,
} from '../schemas/event.ts';
import { RerunningSchema, RerunRequestSchema, RetryRequestSchema } from '../schemas/rerun.ts';
import {
  CancellingRunSchema,
  CancelRequestSchema,
  RunFilterSchema,
  RunInListSchema,
  RunSchema,
} from '../schemas/run.ts';
import { IgnoredHookSchema } from '../schemas/service.ts';
import { SignalledRunSchema, SignalRequestSchema } from '../schemas/signal.ts';
import { AcceptedRunSchema, AnyRunRequestSchema, RunRequestSchema, StartHeadersSchema } from '../schemas/startRun.ts';
import { AnyValueSchema, ByIdSchema, pageOf } from '../schemas/values.ts';
import { ByWorkflowSchema } from '../schemas/workflow.ts';
import type { Access } from '../scopes.ts';

const tag = 'Runs';
const reading: Access = ['runs:read', 'runs:write'];
const writing: Access = ['runs:write'];

const started = {
  200: RunSchema.meta({ description: 'The run, finished: it was waited for.' }),
  202: AcceptedRunSchema.meta({ description: 'The run is on record, and will be done.' }),
};

const again = { 200: RerunningSchema.meta({ description: 'A preview.' }), 202: RerunningSchema };

const streamsNote = ` A key may have ${apiLimits.streamsOfKey} streams open at a time on each orchestrator.`;

const pageOrStream = <Page extends z.ZodType>(page: Page, description: string) => ({
  description,
  content: { 'application/json': { schema: page }, 'text/event-stream': { schema: z.string() } },
});

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
    summary: 'Start a run of a workflow, by name or given here',
    access: writing,
    headers: StartHeadersSchema,
    body: AnyRunRequestSchema,
    answers: started,
  }),
  listRuns: route('listRuns', {
    tag,
    summary: 'List runs',
    description: 'Newest first. Runs that begin meanwhile shift no page.',
    access: reading,
    query: RunFilterSchema,
    answers: { 200: pageOf(RunInListSchema) },
  }),
  getRun: route('getRun', {
    tag,
    summary: 'Show a run, with its steps',
    access: reading,
    params: ByIdSchema,
    answers: { 200: RunSchema },
  }),
  getRunValue: route('getRunValue', {
    tag,
    summary: 'A value that is too large to stand in other answers',
    access: reading,
    params: z.strictObject({ id: z.string(), sha256: z.string().regex(/^[\da-f]{64}$/) }),
    answers: { 200: AnyValueSchema },
  }),
  listRunEvents: route('listRunEvents', {
    tag,
    summary: 'The journal of a run',
    description: `As JSON in pages; as \`text/event-stream\` as it grows, each event with \`id:\` = its position, ending after the last event of a finished run.${streamsNote}`,
    access: reading,
    params: ByIdSchema,
    query: EventQuerySchema,
    headers: StreamHeadersSchema,
    answers: { 200: pageOrStream(pageOf(RunEventSchema), 'A page of it; or all that follows, as a stream.') },
  }),
  cancelRun: route('cancelRun', {
    tag,
    summary: 'Cancel a run',
    description: 'A call in flight is told and given a grace. What the workflow does when it ends is still done.',
    access: writing,
    params: ByIdSchema,
    body: CancelRequestSchema.nullish(),
    answers: { 202: CancellingRunSchema },
  }),
  retryRun: route('retryRun', {
    tag,
    summary: 'Retry a run that failed or was cancelled',
    description: 'A new run, of the same version with the same inputs, that begins with the outcomes already won.',
    access: writing,
    params: ByIdSchema,
    headers: StartHeadersSchema,
    body: RetryRequestSchema.nullish(),
    answers: again,
  }),
  rerunRun: route('rerunRun', {
    tag,
    summary: 'Do a run again, from a step on',
    description: 'A new run, of the same version, that begins with what was won before that step.',
    access: writing,
    params: ByIdSchema,
    headers: StartHeadersSchema,
    body: RerunRequestSchema.nullish(),
    answers: again,
  }),
  signalRun: route('signalRun', {
    tag,
    summary: 'Signal a run',
    description: 'It is kept until a step of the run waits for it.',
    access: writing,
    params: z.strictObject({ id: z.string(), name: z.string() }),
    body: SignalRequestSchema.nullish(),
    answers: { 202: SignalledRunSchema },
  }),
  listEvents: route('listEvents', {
    tag,
    summary: 'The events of all runs',
    description: `As JSON what has happened after a position; as \`text/event-stream\` what happens, each event with \`id:\` = its position. Every event once, those of a run in their order.${streamsNote}`,
    access: reading,
    query: FeedQuerySchema,
    headers: StreamHeadersSchema,
    answers: { 200: pageOrStream(FeedPageSchema, 'What has happened; or all that follows, as a stream.') },
  }),
  receiveHook: route('receiveHook', {
    tag,
    summary: 'Start a run by a webhook',
    description:
      'Signed as Standard Webhooks or GitHub do it, over the bytes of the body. Deliveries that come again start no second run. A hook that is not there and a signature that is wrong are answered alike.',
    access: 'public',
    // Texts, so that a name of another form is a hook that does not exist.
    params: z.strictObject({ workflow: z.string(), hook: z.string() }),
    query: z.record(z.string(), z.unknown()),
    text: {
      description: 'Whatever the sender sends; JSON is read.',
      types: {
        'application/json': {},
        'application/x-www-form-urlencoded': { type: 'string' },
        'text/plain': { type: 'string' },
      },
    },
    answers: { 200: IgnoredHookSchema, 202: AcceptedRunSchema },
  }),
};
