/** The events of all runs, as they happen. */
import type { Store } from '@baton/store';
import { feedEnd, isAhead, isFeedPosition, readFeed } from '@baton/store';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

import type { App } from '../http/edge.ts';
import { Limit, limitUsual } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import { reaches } from '../keys/reach.ts';
import type { Feed } from '../live/feed.ts';
import { shownEvent } from '../live/feed.ts';
import { RunId, WorkflowName } from '../shapes/values.ts';
import { readingRuns } from './runs.ts';
import type { StreamParts } from './streams.ts';
import { pageOrStream, stream, StreamHeaders, streamsNote, wantsStream } from './streams.ts';

const Position = z.string().max(80);

const FeedEvent = z
  .looseObject({
    runId: RunId,
    workflow: z.string(),
    seq: z.int().meta({ description: 'Position in the journal of its run, from 1.' }),
    type: z.string().meta({ description: 'What happened; the other members go with it.' }),
    at: z.number().meta({ description: 'Epoch milliseconds.' }),
  })
  .meta({ id: 'FeedEvent' });

const Query = z.strictObject({
  after: Position.optional().meta({ description: 'A `position`, or the `id` of an event. Without it: from now on.' }),
  workflow: WorkflowName.optional(),
  limit: Limit,
});

const Answer = z.strictObject({
  data: z.array(FeedEvent),
  position: Position.meta({ description: 'Where to go on: `after` of the next request.' }),
});

export interface FeedRouteOptions extends StreamParts {
  readonly store: Store;
  readonly feed: Feed;
}

export function feedRoutes(app: App, options: FeedRouteOptions): void {
  app.get(
    '/v1/events',
    {
      config: { access: readingRuns },
      schema: {
        tags: ['Runs'],
        summary: 'The events of all runs',
        description:
          'As JSON what has happened after a position; as `text/event-stream` what happens, each event with `id:` = its position. Every event once, those of a run in their order.' +
          streamsNote,
        querystring: Query,
        headers: StreamHeaders,
        response: { 200: pageOrStream(Answer, 'What has happened; or all that follows, as a stream.') },
      },
    },
    async (request, reply) => {
      const { principal, query } = request;
      const { store, feed } = options;
      const isShown = (workflow: string): boolean =>
        reaches(principal, workflow) && (query.workflow === undefined || query.workflow === workflow);
      const after = await startOf(store, request.headers['last-event-id'] ?? query.after);
      if (wantsStream(request.headers.accept)) {
        const read = (position: string) => feed.read(position, isShown);
        await stream(options, request, reply, { after, isOver: false, read, watch: (onGrown) => feed.watch(onGrown) });
        return reply;
      }
      const { events } = await readFeed(store, { after, limit: query.limit ?? limitUsual });
      const data = events.filter(({ workflow }) => isShown(workflow)).map(shownEvent) as z.infer<typeof FeedEvent>[];
      return { data, position: events.at(-1)?.position ?? after };
    },
  );
}

/** Rejects with `ProblemError` where it is no position, or one that is yet to come. */
async function startOf(store: Store, given: FastifyRequest['headers'][string]): Promise<string> {
  const end = await feedEnd(store);
  if (given === undefined) return end.position;
  if (typeof given === 'string' && isFeedPosition(given) && !isAhead(given, end)) return given;
  throw new ProblemError(
    'invalid-cursor',
    'This is no position in the events of this installation. Begin without one.',
  );
}
