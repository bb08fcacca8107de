/** Schemas of runs. */
import { type StepStatus, stepMoves } from '@baton/engine';
import { type Verb, verbTraits } from '@baton/language';
import * as z from 'zod';

import {
  CursorSchema,
  FromTextSchema,
  LimitSchema,
  several,
  storable,
  TextSchema,
  ToTextSchema,
  wholeNumber,
} from './parameters.ts';
import { type RunFilterName, runStatuses, triggerKinds } from './runFilter.ts';
import {
  type Exact,
  AnyValueSchema,
  EffectSchema,
  FailureSchema,
  InstantSchema,
  RunIdSchema,
  WorkflowNameSchema,
  WorkflowPatternSchema,
  WantedVersionSchema,
} from './values.ts';

const keysOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): [Name, ...Name[]] =>
  Object.keys(table) as [Name, ...Name[]];

export const RunStatusSchema = z.enum(runStatuses).meta({ id: 'RunStatus' });
const StepStatusSchema = z.enum(keysOf<StepStatus>(stepMoves)).meta({ id: 'StepStatus' });

const VerbSchema = z.enum(keysOf<Verb>(verbTraits));

const AttemptSchema = z
  .strictObject({
    n: z.int(),
    status: StepStatusSchema,
    startedAt: InstantSchema,
    endedAt: InstantSchema.optional(),
    error: FailureSchema.optional(),
    worker: z.string().optional(),
    session: z.string().optional().meta({
      description:
        'The session with the server on which the worker made the call: `tools#1`. Each worker counts from 1.',
    }),
    login: z.string().optional().meta({
      description: 'Whose login the call used, at a server where people have their own.',
    }),
  })
  .meta({ id: 'Attempt' });

export const SaidOutcomeSchema = z
  .strictObject({ happened: z.boolean(), by: z.string(), at: InstantSchema })
  .meta({ id: 'SaidOutcome', description: 'What a person said of a call whose answer was lost.' });

const StepProgressSchema = z
  .strictObject({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
  .meta({ id: 'StepProgress', description: 'Progress that the server reported, or the number of finished items.' });

const StepSchema = z
  .strictObject({
    id: z.string().meta({ description: 'The last part of the path.' }),
    path: z.string(),
    verb: VerbSchema,
    target: z
      .string()
      .optional()
      .meta({ description: 'The tool, prompt, workflow or signal that the step calls or waits for.' }),
    status: StepStatusSchema,
    attempts: z.array(AttemptSchema),
    progress: StepProgressSchema.optional(),
    arguments: AnyValueSchema.optional().meta({
      description: 'The arguments of the last attempt, or the inputs of the child run. Secrets are masked.',
    }),
    output: AnyValueSchema.optional(),
    error: FailureSchema.optional(),
    by: z.string().optional().meta({ description: 'Who answered or sent the signal.' }),
    said: SaidOutcomeSchema.optional(),
    calledBefore: z.literal(true).optional().meta({
      description:
        'The run that this one went on from made the call, and lost the answer: this run has made none, and found out about it.',
    }),
    kept: z.literal(true).optional().meta({
      description: 'The outcome is that of the run that this one went on from: nothing was called.',
    }),
  })
  .meta({ id: 'Step' });

const EnsuredSchema = z
  .strictObject({
    path: z.string(),
    that: z.string().meta({ description: 'The condition, as the workflow has it.' }),
    read: z.string().meta({ description: 'What was read: a tool, a resource or a workflow.' }),
    status: StepStatusSchema.meta({ description: '`succeeded`: it was true.' }),
    at: InstantSchema.optional().meta({ description: 'When that was known.' }),
  })
  .meta({ id: 'Ensured', description: 'What the workflow must `ensure`, and whether it is so.' });

const ParentSchema = z
  .strictObject({ runId: RunIdSchema, path: z.string(), attempt: z.int() })
  .meta({ id: 'Parent', description: 'The attempt of a step that started the run.' });

const summary = {
  id: RunIdSchema,
  workflow: WorkflowNameSchema,
  version: z.int().nullable().meta({ description: 'Null if the workflow was sent with the request.' }),
  status: RunStatusSchema,
  trigger: z.strictObject({ kind: z.string(), detail: AnyValueSchema.optional() }),
  by: z
    .string()
    .optional()
    .meta({ description: 'Who requested the run: a key, or a trigger. Absent before version 0.2.' }),
  via: z.string().optional().meta({ description: 'The client that requested it, where a person had connected it.' }),
  tags: z.array(z.string()),
  priority: z.int(),
  valuesHidden: z.literal(true).optional().meta({
    description: 'Your role may not read values of this run (`runs:values`): null stands for each of them.',
  }),
  inputs: AnyValueSchema,
  outputs: AnyValueSchema.optional(),
  error: FailureSchema.optional(),
  createdAt: InstantSchema,
  startedAt: InstantSchema.optional(),
  endedAt: InstantSchema.optional(),
  wakeAt: InstantSchema.optional().meta({ description: 'When the run next continues by time alone.' }),
  cancelRequested: z.literal(true).optional(),
  questions: z.int().optional().meta({ description: 'Number of open questions; absent if none.' }),
  spent: z
    .strictObject({
      tokens: z.int(),
      usd: z.number().optional().meta({ description: 'Absent if no model that answered has a price.' }),
    })
    .optional()
    .meta({ description: 'What models cost, child runs included; absent if nothing is known of it.' }),
  rerunOf: RunIdSchema.optional(),
  retriedAs: RunIdSchema.optional().meta({
    description: 'Of a run that failed or was cancelled: its newest retry, which continues it.',
  }),
  parent: ParentSchema.optional(),
};

const LinksSchema = z.strictObject({ self: z.string(), events: z.string() });

export const RunInListSchema = z
  .strictObject({
    ...summary,
    lastStep: z.string().optional().meta({
      description: 'Path of the step that began last, while the run is running; absent if that was long ago.',
    }),
    waitsFor: z
      .strictObject({
        step: z.string(),
        kind: z.enum(['time', 'signal', 'answer', 'sample', 'turn', 'child', 'retry']),
        name: z.string().optional().meta({
          description: 'Of the signal, of the server whose turn it waits for, or of the workflow of the child run.',
        }),
        login: z.string().optional().meta({ description: 'Who has to log in to that server first, by name.' }),
      })
      .optional()
      .meta({
        description:
          'What the step waits for that began to wait last; absent if the run does not wait, or that was long ago.',
      }),
    links: LinksSchema,
  })
  .meta({ id: 'RunInList', description: 'A run in a list: without steps and large values.' });

export const RunSchema = z
  .strictObject({
    ...summary,
    progress: z
      .strictObject({ finished: z.int(), total: z.int() })
      .meta({ description: 'Steps of the workflow’s top-level list: how many have ended, and how many there are.' }),
    sentence: z.string().optional().meta({
      description: 'For people: why the run waits or failed, what it did, what follows. Absent before version 0.2.',
    }),
    ensured: z
      .array(EnsuredSchema)
      .optional()
      .meta({ description: 'Every `ensure` that has begun; absent if none has.' }),
    undoneAs: RunIdSchema.optional().meta({
      description: 'The newest run that was started to undo what this one wrote; how it ended says whether it did.',
    }),
    steps: z.array(StepSchema),
    stepsOmitted: z
      .int()
      .optional()
      .meta({ description: 'Number of steps after the first 5,000; the events contain all of them.' }),
    links: LinksSchema,
  })
  .meta({ id: 'Run' });

export type Attempt = Exact<z.output<typeof AttemptSchema>>;
export type StepProgress = Exact<z.output<typeof StepProgressSchema>>;
export type SaidOutcome = Exact<z.output<typeof SaidOutcomeSchema>>;
export type Step = Exact<z.output<typeof StepSchema>>;
export type RunInList = Exact<z.output<typeof RunInListSchema>>;
export type Run = Exact<z.output<typeof RunSchema>>;

const runFilter = {
  workflow: WorkflowPatternSchema.optional(),
  status: several(RunStatusSchema).optional().meta({ description: 'One status or several; matches any of them.' }),
  tag: TextSchema.optional(),
  trigger: z.enum(triggerKinds).optional(),
  from: FromTextSchema.optional().meta({
    description: 'Created at this time or later; a date means its start, in UTC.',
  }),
  to: ToTextSchema.optional().meta({ description: 'Created before this time; a date includes the whole day, in UTC.' }),
  text: TextSchema.min(1).optional().meta({ description: 'Failed or cancelled, with this text in the failure.' }),
  retried: z.enum(['yes', 'no']).optional().meta({
    description: '`yes`: a retry goes on from the run; `no`: none does, so that what was repaired is left out.',
  }),
  like: TextSchema.min(1).optional().meta({
    description:
      'Failed in the same workflow, at the same step, for the same cause as this run; see `getFailureCauses`.',
  }),
  server: TextSchema.min(1).optional().meta({ description: 'Runs of versions that use this server.' }),
  tool: TextSchema.min(1).optional().meta({ description: 'Runs of versions that use a tool of this name.' }),
  effect: EffectSchema.optional().meta({
    description: 'Runs of versions that use a tool with this effect, by its server and the configuration.',
  }),
  parent: z
    .union([RunIdSchema, z.literal('none')], { error: 'the id of a run, or "none"' })
    .optional()
    .meta({
      description: 'Runs that this run started; `none`: runs that no run started.',
    }),
  outcome: z.literal('unknown').optional().meta({
    description: 'Runs with a call whose outcome is not known; see `listUnknownOutcomes`.',
  }),
} satisfies Readonly<Record<RunFilterName, z.ZodType>>;

export const RunFilterSchema = z.strictObject({ ...runFilter, limit: LimitSchema, cursor: CursorSchema });

/** The filter of a list, a histogram, and an action on many runs. */
export type RunFilterQuery = Omit<z.output<typeof RunFilterSchema>, 'limit' | 'cursor'>;

const bucketsMax = 200;

export const HistogramQuerySchema = z.strictObject({
  ...runFilter,
  from: FromTextSchema.meta({ description: 'Beginning of the first bucket; a date means its start, in UTC.' }),
  to: ToTextSchema.meta({ description: 'End of the last bucket; a date includes the whole day, in UTC.' }),
  buckets: wholeNumber(1, bucketsMax).optional().meta({ description: 'Number of buckets; the default is 60.' }),
});

const RunCountsSchema = z.partialRecord(RunStatusSchema, z.int()).meta({ description: 'Number of runs by status.' });

export const HistogramSchema = z
  .strictObject({
    from: InstantSchema,
    to: InstantSchema,
    bucketMs: z.number(),
    data: z.array(
      z.strictObject({
        at: InstantSchema.meta({ description: 'Beginning of the bucket.' }),
        counts: RunCountsSchema,
        cut: z.literal(true).optional().meta({ description: 'There are more runs; 5,000 of them were counted.' }),
      }),
    ),
  })
  .meta({ id: 'Histogram' });

const FailureCauseSchema = z
  .strictObject({
    workflow: WorkflowNameSchema,
    undo: z.literal(true).optional().meta({ description: 'The runs were to undo what others wrote.' }),
    step: z.string().optional().meta({
      description: 'Path of the step that failed first; `…` stands for the index of an item or a round.',
    }),
    code: z.string(),
    cause: z.string().meta({
      description: 'What the messages of the failures have in common: `…` stands for numbers, ids and quoted values.',
    }),
    count: z.int().meta({ description: 'Number of runs.' }),
    retried: z.int().meta({ description: 'How many of them a retry goes on from.' }),
    first: InstantSchema.meta({ description: 'When the first of them was created.' }),
    last: InstantSchema.meta({ description: 'When the last of them was created.' }),
    counts: z.array(z.int()).meta({ description: 'Number of runs in each bucket, in order.' }),
    run: RunIdSchema.meta({ description: 'The newest of them. As the filter `like` it selects them all.' }),
    message: z.string().meta({ description: 'The whole message of that run’s failure.' }),
  })
  .meta({ id: 'FailureCause' });

export const FailureCausesSchema = z
  .strictObject({
    from: InstantSchema.meta({ description: 'Beginning of the first bucket.' }),
    to: InstantSchema.meta({ description: 'End of the last bucket.' }),
    bucketMs: z.number(),
    data: z.array(FailureCauseSchema),
    cut: z.literal(true).optional().meta({
      description:
        'There are more: the newest 5,000 failed runs were compared, and the 100 most frequent causes are here.',
    }),
  })
  .meta({ id: 'FailureCauses' });

export type FailureCause = Exact<z.output<typeof FailureCauseSchema>>;
export type FailureCauses = Exact<z.output<typeof FailureCausesSchema>>;

export const FailureCausesQuerySchema = z.strictObject(runFilter).omit({ status: true });

export const WorkflowStatsSchema = z
  .strictObject({
    id: WorkflowNameSchema,
    counts: RunCountsSchema,
    notAchieved: z
      .int()
      .optional()
      .meta({ description: 'Of the failed ones: runs whose `ensure` was not true in the end; absent if none.' }),
    p50Ms: z.int().optional().meta({
      description: 'Half of the finished runs took no longer, without the time that they waited for people.',
    }),
    p95Ms: z.int().optional(),
    askedP95Ms: z
      .int()
      .optional()
      .meta({ description: 'Of runs that people answered: 95 of 100 waited no longer for that; absent if none.' }),
    runs: z
      .array(
        z.strictObject({
          id: RunIdSchema,
          status: RunStatusSchema,
          durationMs: z.int().optional().meta({ description: 'From start to end; absent if it has not ended.' }),
          askedMs: z.int().optional().meta({ description: 'How much of it the run waited for answers of people.' }),
          at: InstantSchema.meta({ description: 'When it was created.' }),
        }),
      )
      .meta({ description: 'The last 50 runs, newest first. All other statistics are of these.' }),
  })
  .meta({ id: 'WorkflowStats' });

export type Histogram = Exact<z.output<typeof HistogramSchema>>;
export type WorkflowStats = Exact<z.output<typeof WorkflowStatsSchema>>;

const manyRuns = {
  filter: z.strictObject(runFilter).meta({ description: 'The filter of the list of runs.' }),
  expect: z.int().min(0).optional().meta({ description: 'The expected number of matching runs; 409 if it differs.' }),
  preview: z.boolean().optional().meta({ description: 'Only count.' }),
};

export const CancelRunsSchema = z
  .strictObject({ ...manyRuns, reason: storable(z.string().max(500)).optional() })
  .meta({ id: 'CancelRuns' });

export const RetryRunsSchema = z.strictObject({ ...manyRuns, version: WantedVersionSchema }).meta({ id: 'RetryRuns' });

export const ManyRunsSchema = z
  .strictObject({
    count: z
      .int()
      .meta({ description: 'Matching runs that can be cancelled or retried; at most 100,001 are counted.' }),
    writes: z.int().meta({
      description:
        'Calls with the effect `write` that would be made again, without those of which a check or a person says first whether they happened.',
    }),
    unread: z.int().optional().meta({
      description: 'Child runs and earlier runs that are not kept any more: `writes` lacks their calls.',
    }),
    looked: z.int().optional().meta({
      description: 'Runs whose journals were read to count `writes`, if not all of them were.',
    }),
    done: z.int().optional().meta({ description: 'Runs that were cancelled or retried; absent in a preview.' }),
    refused: z
      .array(z.strictObject({ id: RunIdSchema, code: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'Runs that refused, and why; at most 100.' }),
  })
  .meta({ id: 'ManyRuns' });

export type ManyRuns = Exact<z.output<typeof ManyRunsSchema>>;

export const CancelRequestSchema = z.strictObject({ reason: storable(z.string().max(500)).optional() });

export const CancellingRunSchema = z
  .strictObject({ id: RunIdSchema, status: RunStatusSchema, cancelRequested: z.literal(true) })
  .meta({ id: 'Cancelling' });
