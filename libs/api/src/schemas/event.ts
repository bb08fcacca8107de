/** Schemas of events, of one run and of all runs. */
import * as z from 'zod';

import { CursorSchema, LimitSchema, wholeNumber } from './parameters.ts';
import { RunIdSchema, WorkflowPatternSchema } from './values.ts';

const positionMax = 2 ** 31 - 1;

/** A position in the journal of a run. */
export const PositionSchema = wholeNumber(0, positionMax);

const happened = {
  type: z.string().meta({ description: 'Type of the event; the other fields depend on it.' }),
  at: z.number().meta({ description: 'Epoch milliseconds.' }),
};

export const RunEventSchema = z
  .looseObject({ seq: z.int().meta({ description: 'Position in the journal, from 1.' }), ...happened })
  .meta({
    id: 'RunEvent',
    description:
      'A value is `{ json }`, `{ blob }` or `{ list }`; `hidden: true` beside `json`: your role may not read it.',
  });

export const EventQuerySchema = z.strictObject({
  after: PositionSchema.optional().meta({ description: 'Only events after this position.' }),
  limit: LimitSchema,
  cursor: CursorSchema,
});

const FeedPositionSchema = z.string().max(200);

const FeedEventSchema = z
  .looseObject({
    runId: RunIdSchema,
    workflow: z.string(),
    seq: z.int().meta({ description: 'Position in the journal of its run, from 1.' }),
    ...happened,
  })
  .meta({ id: 'FeedEvent' });

export type FeedEvent = z.output<typeof FeedEventSchema>;

export const FeedQuerySchema = z.strictObject({
  after: FeedPositionSchema.optional().meta({
    description: 'A `position`, or the `id` of an event. Without it, only new events.',
  }),
  workflow: WorkflowPatternSchema.optional(),
  limit: LimitSchema,
});

export const FeedPageSchema = z.strictObject({
  data: z.array(FeedEventSchema),
  position: FeedPositionSchema.meta({ description: 'Use it as `after` in the next request.' }),
});

export const StreamHeadersSchema = z.looseObject({
  accept: z.string().optional().meta({ description: '`text/event-stream` for a live stream.' }),
  'last-event-id': z.string().optional().meta({ description: 'The last event of a broken stream; replaces `after`.' }),
});
