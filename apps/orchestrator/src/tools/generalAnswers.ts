/** Schemas of the answers of the general tools. Later versions may add members. */
import { HookSchema, QuestionSchema, RerunResultSchema, RunSchema, ScheduleSchema, UndoResultSchema } from '@baton/api';
import * as z from 'zod';

const text = z.string();
const next = text.describe('What to do now.');
const after = text.optional().describe('There is more: pass this as `after`.');
const values = z.record(text, z.unknown());

const { id, workflow, version, status, createdAt, wakeAt, error } = RunSchema.shape;

/** A question that a person has to answer: the same members wherever a tool shows one. */
const questions = z
  .array(z.looseObject(QuestionSchema.pick({ id: true, step: true, message: true, form: true, url: true }).shape))
  .optional()
  .describe('Open questions: answer_question answers one.');

const run = z.looseObject({ id, status, wakeAt });
const failure = z.looseObject({ code: text, message: text, step: text.optional() });
const { kept, unmatched, newerVersion, retriedAs, retryInstead, rerunOf } = RerunResultSchema.shape;
const schedule = z.looseObject(ScheduleSchema.shape);
const rerun = z.looseObject({
  id: id.optional().describe('The new run; absent for a preview.'),
  status: status.optional(),
  rerunOf,
  version,
  newerVersion,
  retriedAs: retriedAs.describe('Its newest retry before.'),
  retryInstead: retryInstead.describe('Of a child run: retry this run instead.'),
  kept,
  unmatched,
  again: z
    .array(z.looseObject({ path: text, verb: text, outcome: text }))
    .describe('Calls that the new run may repeat. Writes that happened, or may have, come first.'),
  unread: z
    .int()
    .optional()
    .describe('Child runs and earlier runs that are not kept any more: `again` lacks their calls.'),
  next,
});

export const generalAnswers = {
  list_workflows: z.looseObject({
    workflows: z.array(
      z.looseObject({
        id: text,
        title: text.optional(),
        description: text,
        version: z.int(),
        inputs: z
          .record(text, z.looseObject({ type: text, required: z.boolean(), description: text.optional() }))
          .describe('By name. An input that is not required may have a `default`.'),
      }),
    ),
    after,
    next,
  }),
  get_workflow: z.looseObject({
    workflow: text,
    version: z.int(),
    newest: z.int().describe('The newest version.'),
    source: text.describe('The text of the workflow.'),
    next,
  }),
  run_workflow: z.looseObject({
    run,
    outputs: values.optional().describe('Of a run that succeeded.'),
    error: failure.optional(),
    questions,
    next,
  }),
  list_runs: z.looseObject({
    runs: z.array(z.looseObject({ id, workflow, status, createdAt, error: text.optional(), retriedAs })),
    after,
    next,
  }),
  get_run: z.looseObject({
    id,
    workflow,
    version,
    status,
    sentence: text.optional().describe('Why the run waits or failed, what it did, what follows.'),
    wakeAt,
    inputs: z.unknown(),
    outputs: z.unknown().optional(),
    error: error.unwrap().loose().optional(),
    retriedAs: retriedAs.describe('Its newest retry, which continues it.'),
    questions,
    steps: z.array(
      z.looseObject({
        path: text,
        verb: text,
        target: text.optional(),
        status: text,
        kept: z.literal(true).optional(),
      }),
    ),
    stepsOmitted: z.int().optional().describe('How many steps are not shown here.'),
    next,
  }),
  cancel_run: z.looseObject({ id, status, next }),
  retry_run: rerun,
  rerun_run: rerun,
  undo_run: z.looseObject({ ...UndoResultSchema.shape, next }),
  answer_question: z.looseObject({ answer: z.unknown().describe('As it was recorded.'), next }),
  send_signal: z.looseObject({ id, signal: text, status, next }),
  list_schedules: z.looseObject({ schedules: z.array(schedule), after, next }),
  change_schedule: z.looseObject({ schedule: schedule.optional(), run: id.optional(), next }),
  list_webhooks: z.looseObject({ webhooks: z.array(z.looseObject(HookSchema.shape)), next }),
  test_webhook: z.looseObject({
    outcome: z.enum(['started', 'repeated', 'ignored', 'refused', 'would-start']),
    reason: text.optional(),
    run: id.optional(),
    inputs: z.unknown().optional(),
    next,
  }),
  list_secrets: z.looseObject({
    secrets: z.array(
      z.looseObject({ name: text, workflows: z.array(text).optional(), servers: z.array(text).optional() }),
    ),
    after,
    next,
  }),
} as const;

/** The general tools whose answer is an object. */
export type ObjectAnswers = typeof generalAnswers;
export type GeneralAnswer<Name extends keyof ObjectAnswers> = z.input<ObjectAnswers[Name]>;
