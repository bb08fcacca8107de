import * as z from 'zod';

import { CursorSchema, LimitSchema } from './parameters.ts';
import { type Exact, InstantSchema, RunIdSchema, WorkflowNameSchema } from './values.ts';

const FoundSchema = z
  .strictObject({
    items: z.int().meta({ description: 'Items that the tool answered.' }),
    seen: z.int().meta({ description: 'Items that were seen before.' }),
    started: z.int().meta({ description: 'Items that started a run.' }),
    left: z.int().meta({ description: 'New items that wait for the next poll.' }),
    passedOver: z.int().meta({ description: 'New items that were only marked as seen, by `start: now`.' }),
    repeated: z.int().meta({ description: 'Items with the key of another one of the list: one key is one item.' }),
    refused: z.int().meta({ description: 'Items that started no run, and are looked at again by the next poll.' }),
    runs: z.array(RunIdSchema).meta({ description: 'Some of the runs.' }),
    gap: z.literal(true).optional().meta({ description: 'The server has lost events that were not answered before.' }),
    reasons: z
      .array(z.strictObject({ reason: z.string(), items: z.int() }))
      .meta({ description: 'Why items were refused, and how many: ten reasons at the most.' }),
    refusals: z
      .array(
        z.strictObject({
          index: z.int().meta({ description: 'Place in the list, counted from 0.' }),
          key: z.string().optional(),
          reason: z.string(),
        }),
      )
      .meta({ description: 'Some of the refused items.' }),
  })
  .meta({ id: 'PollFound', description: 'What a poll found.' });

const summary = {
  id: z.string().meta({ description: 'The workflow, a dot, and the `id` of the trigger, or its tool or event.' }),
  workflow: WorkflowNameSchema,
  version: z.int(),
  tool: z.string().optional().meta({ description: 'As `server/tool`; absent: it asks for events.' }),
  event: z.string().optional().meta({ description: 'As `server/event`; absent: it calls a tool.' }),
  every: z.string().meta({ description: 'The pause between two polls, as in `2m`.' }),
  paused: z.boolean().meta({ description: 'The workflow is paused: nothing is polled.' }),
  next: InstantSchema.optional().meta({ description: 'Absent: it was not polled yet, or is paused.' }),
  keys: z.int().meta({ description: 'Items that are remembered.' }),
  last: FoundSchema.extend({ at: InstantSchema })
    .optional()
    .meta({ id: 'LastPoll', description: 'The last poll that was answered.' }),
  failing: z
    .strictObject({ reason: z.string(), times: z.int(), since: InstantSchema })
    .optional()
    .meta({ description: 'Why the last polls failed; absent: the last one was answered.' }),
};

export const PollSchema = z.strictObject(summary).meta({ id: 'Poll' });

export type Poll = Exact<z.output<typeof PollSchema>>;

export const PollDetailSchema = z
  .strictObject({
    ...summary,
    recent: z
      .array(
        z.strictObject({
          key: z.string(),
          text: z
            .string()
            .optional()
            .meta({ description: 'The beginning of the key as it is written, where `key` is its digest.' }),
          at: InstantSchema,
          runId: RunIdSchema.optional().meta({ description: 'Absent: it was there before, and started none.' }),
        }),
      )
      .meta({ description: 'The items that were seen last, newest first.' }),
  })
  .meta({ id: 'PollDetail' });

export const PollFilterSchema = z.strictObject({
  workflow: WorkflowNameSchema.optional(),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const PollResetSchema = z
  .strictObject({
    start: z.enum(['now', 'all']).optional().meta({
      description: 'What the next poll does with what is there: `now` (default) marks it as seen, `all` starts runs.',
    }),
  })
  .meta({ id: 'PollReset' });

export type PollReset = z.output<typeof PollResetSchema>;

export const PolledSchema = z
  .strictObject({
    outcome: z.enum(['answered', 'failed', 'paused', 'overtaken']).meta({
      description: '`paused`: the workflow is; `overtaken`: another process polled at that moment.',
    }),
    found: FoundSchema.optional(),
    reason: z.string().optional(),
  })
  .meta({ id: 'Polled' });
