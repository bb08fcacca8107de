import * as z from 'zod';

import { CursorSchema, FromTextSchema, LastTextSchema, LimitSchema } from './parameters.ts';
import { AcceptedRunSchema } from './startRun.ts';
import { type Exact, InstantSchema, RunIdSchema, WorkflowNameSchema, WorkflowPatternSchema } from './values.ts';

const FiringSchema = z
  .strictObject({
    instant: InstantSchema,
    outcome: z
      .enum(['started', 'skipped', 'queued', 'refused'])
      .meta({ description: '`queued`: the run starts when the previous run ends.' }),
    reason: z.string().optional(),
    runId: RunIdSchema.optional(),
    cause: z.enum(['due', 'late', 'backfill']),
    by: z.string(),
  })
  .meta({ id: 'Firing', description: 'A time of the schedule, and what happened at it.' });

export type Firing = z.output<typeof FiringSchema>;

const NextSchema = z.array(InstantSchema).meta({ description: 'The next five times; empty while paused.' });

const times = {
  times: z.string().meta({
    description: 'Cron fields, an interval (`every 90m`), or a point in time (`at 2026-12-24T09:00:00Z`).',
  }),
  cron: z.string().optional().meta({ description: 'The times, if they are cron.' }),
};

const summary = {
  id: z.string(),
  workflow: WorkflowNameSchema,
  version: z.int(),
  ...times,
  timezone: z.string(),
  overlap: z.enum(['skip', 'queue', 'replace', 'allow']),
  catchUp: z.enum(['none', 'latest', 'all']),
  paused: z.boolean(),
  pausedAt: InstantSchema.optional(),
  pausedBy: z.string().optional(),
  next: NextSchema,
  refused: z
    .strictObject({ instant: InstantSchema, reason: z.string() })
    .optional()
    .meta({ description: 'The last time, if it started no run because of an error.' }),
};

export const ScheduleSchema = z.strictObject(summary).meta({ id: 'Schedule' });

export type Schedule = Exact<z.output<typeof ScheduleSchema>>;

export const ScheduleDetailSchema = z
  .strictObject({ ...summary, recent: z.array(FiringSchema).meta({ description: 'Newest first.' }) })
  .meta({ id: 'ScheduleDetail' });

export const ScheduleFilterSchema = z.strictObject({
  workflow: WorkflowPatternSchema.optional(),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const TriggeredScheduleSchema = AcceptedRunSchema.extend({ next: NextSchema }).meta({ id: 'TriggeredSchedule' });

export const ScheduleChangeSchema = z
  .strictObject({
    id: z.string(),
    change: z.enum(['new', 'gone', 'returned', 'changed', 'renamed', 'moved', 'same']).meta({
      description:
        '`changed`: its times or its inputs; `moved`: its place in the file; `returned`: a version before had it.',
    }),
    ...times,
    timezone: z.string(),
    paused: z.boolean(),
    before: z
      .strictObject({ id: z.string(), ...times, timezone: z.string() })
      .partial()
      .optional()
      .meta({ description: 'What was different in the version before.' }),
  })
  .meta({ id: 'ScheduleChange', description: 'What a deployment did to a schedule.' });

export type ScheduleChange = Exact<z.output<typeof ScheduleChangeSchema>>;

/** The most times in one backfill. */
export const backfillMax = 1_000;

export const BackfillSchema = z
  .strictObject({
    from: FromTextSchema.meta({ description: 'First time; a date means its start, in UTC.' }),
    to: LastTextSchema.meta({
      description: 'Last time, inclusive; not in the future. A date includes the whole day, in UTC.',
    }),
    preview: z.boolean().optional().meta({ description: 'Only list the times; start no runs.' }),
  })
  .meta({ id: 'Backfill' });

export type Backfill = z.output<typeof BackfillSchema>;

export const BackfilledSchema = z
  .strictObject({
    instants: z.array(InstantSchema).meta({ description: 'All times between `from` and `to`.' }),
    queued: z.array(InstantSchema).meta({ description: 'Times that run now. The others ran before.' }),
    preview: z.boolean(),
    next: NextSchema,
  })
  .meta({ id: 'Backfilled' });
