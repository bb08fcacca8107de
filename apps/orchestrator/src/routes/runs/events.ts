/** Routes of a run's journal: page by page, or live. */
import { PositionSchema, routes, limitUsual } from '@baton/api';
import { followRunEvents, type JournalPages, type RunWatches } from '@baton/control';
import { type Store, readPage } from '@baton/store';
import type { FastifyRequest } from 'fastify';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';
import { type StreamParts, stream, wantsStream } from './streams.ts';

export interface EventOptions extends StreamParts {
  readonly store: Store;
  readonly pages: JournalPages;
  readonly watches: RunWatches;
}

export function eventRoutes(app: App, options: EventOptions): void {
  route(app, routes.listRunEvents, async (request, reply) => {
    const { id } = request.params;
    const { run, shown } = await followRunEvents(options, request.principal, { id });
    const { after = 0, limit = limitUsual, cursor } = request.query;
    if (wantsStream(request.headers.accept)) {
      const from = resumeAt(request, after);
      const { pages, watches } = options;
      await stream(options, request, reply, {
        after: from,
        isOver: run.endedAt !== undefined,
        read: (position) => pages.read(id, position, shown),
        watch: (onGrown) => watches.watch(id, from, onGrown),
      });
      return reply;
    }
    return page(options.store, { runId: id, after, limit, cursor, shown });
  });
}

/** Browsers send this header when they reconnect; an invalid position is ignored. */
function resumeAt({ headers }: Pick<FastifyRequest, 'headers'>, after: number): number {
  const last = headers['last-event-id'];
  const parsed = PositionSchema.safeParse(last);
  return parsed.success ? parsed.data : after;
}

interface EventsRequest {
  readonly runId: string;
  readonly after: number;
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly shown: Awaited<ReturnType<typeof followRunEvents>>['shown'];
}

async function page(store: Store, { runId, after, limit, cursor, shown }: EventsRequest) {
  const cursors = new Cursors('events', { runId });
  const from = cursors.read(cursor, (text) => PositionSchema.safeParse(text).success);
  const { events, isMore } = await readPage(store, runId, { after: from === undefined ? after : Number(from), limit });
  const last = events.at(-1)?.seq;
  return {
    data: events.map(({ seq, event }) => ({ seq, ...(shown?.(event) ?? event) })),
    ...(isMore && last !== undefined ? { nextCursor: cursors.write(String(last)) } : {}),
  };
}
