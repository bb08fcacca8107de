/** A run's journal: page by page, or as it grows. */
import type { Store } from '@baton/store';
import { getRun, readPage } from '@baton/store';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

import type { App } from '../http/edge.ts';
import { Cursor, Cursors, Limit, limitUsual, wholeNumber } from '../http/parameters.ts';
import { reaches } from '../keys/reach.ts';
import type { Pages } from '../live/pages.ts';
import type { Watches } from '../live/watches.ts';
import { pageOf } from '../shapes/values.ts';
import { ById, noRun, readingRuns } from './runs.ts';
import type { StreamParts } from './streams.ts';
import { pageOrStream, stream, StreamHeaders, streamsNote, wantsStream } from './streams.ts';

const positionMax = 2 ** 31 - 1;
const Position = wholeNumber(0, positionMax);

const Event = z
  .looseObject({
    seq: z.int().meta({ description: 'Position in the journal, from 1.' }),
    type: z.string().meta({ description: 'What happened; the other members go with it.' }),
    at: z.number().meta({ description: 'Epoch milliseconds.' }),
  })
  .meta({ id: 'RunEvent' });

const Query = z.strictObject({
  after: Position.optional().meta({ description: 'Only events after this position.' }),
  limit: Limit,
  cursor: Cursor,
});

export interface EventOptions extends StreamParts {
  readonly store: Store;
  readonly pages: Pages;
  readonly watches: Watches;
}

export function eventRoutes(app: App, options: EventOptions): void {
  app.get(
    '/v1/runs/:id/events',
    {
      config: { access: readingRuns },
      schema: {
        tags: ['Runs'],
        summary: 'The journal of a run',
        description:
          'As JSON in pages; as `text/event-stream` as it grows, each event with `id:` = its position, ending after the last event of a finished run.' +
          streamsNote,
        params: ById,
        querystring: Query,
        headers: StreamHeaders,
        response: { 200: pageOrStream(pageOf(Event), 'A page of it; or all that follows, as a stream.') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const run = await getRun(options.store, id);
      if (run === undefined || !reaches(request.principal, run.workflow)) throw noRun(id);
      const { after = 0, limit = limitUsual, cursor } = request.query;
      if (wantsStream(request.headers.accept)) {
        const from = resumeAt(request, after);
        const { pages, watches } = options;
        await stream(options, request, reply, {
          after: from,
          isOver: run.endedAt !== undefined,
          read: (position) => pages.read(id, position),
          watch: (onGrown) => watches.watch(id, from, onGrown),
        });
        return reply;
      }
      return page(options.store, { runId: id, after, limit, cursor });
    },
  );
}

/** What a browser sends by itself when it comes back; what is no position of ours is passed over. */
function resumeAt({ headers }: Pick<FastifyRequest, 'headers'>, after: number): number {
  const last = headers['last-event-id'];
  const parsed = Position.safeParse(last);
  return parsed.success ? parsed.data : after;
}

interface Asked {
  readonly runId: string;
  readonly after: number;
  readonly limit: number;
  readonly cursor: string | undefined;
}

async function page(store: Store, { runId, after, limit, cursor }: Asked) {
  const cursors = new Cursors('events', { runId });
  const from = cursors.read(cursor, (text) => Position.safeParse(text).success);
  const events = await readPage(store, runId, { after: from === undefined ? after : Number(from), limit: limit + 1 });
  const shown = events.slice(0, limit);
  const last = shown.at(-1)?.seq;
  return {
    data: shown.map(({ seq, event }) => ({ seq, ...event })),
    ...(events.length > limit && last !== undefined ? { nextCursor: cursors.write(String(last)) } : {}),
  };
}
