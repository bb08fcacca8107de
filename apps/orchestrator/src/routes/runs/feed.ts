/** Streams the events of all runs live. */
import { routes, ProblemError, limitUsual } from '@baton/api';
import { maySee, type Feed, shownEvent } from '@baton/control';
import { type Store, feedEnd, isAhead, readFeed } from '@baton/store';
import type { FastifyRequest } from 'fastify';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { type StreamParts, stream, wantsStream } from './streams.ts';

export interface FeedRouteOptions extends StreamParts {
  readonly store: Store;
  readonly feed: Feed;
}

export function feedRoutes(app: App, options: FeedRouteOptions): void {
  route(app, routes.listEvents, async (request, reply) => {
    const { principal, query } = request;
    const { store, feed } = options;
    const isShown = (workflow: string): boolean =>
      maySee(principal, workflow) && (query.workflow === undefined || query.workflow === workflow);
    const after = await startOf(options, request.headers['last-event-id'] ?? query.after);
    if (wantsStream(request.headers.accept)) {
      const read = (position: string) => feed.read(position, isShown);
      await stream(options, request, reply, { after, isOver: false, read, watch: (onGrown) => feed.watch(onGrown) });
      return reply;
    }
    const { events } = await readFeed(store, { after, limit: query.limit ?? limitUsual });
    const data = events.filter(({ workflow }) => isShown(workflow)).map(shownEvent);
    return { data, position: feed.seal.seal(events.at(-1)?.position ?? after) };
  });
}

/** Rejects with `ProblemError` for an invalid position, and for one in the future. */
async function startOf(
  { store, feed: { seal } }: FeedRouteOptions,
  given: FastifyRequest['headers'][string],
): Promise<string> {
  const end = await feedEnd(store);
  if (given === undefined) return end.position;
  const position = typeof given === 'string' ? seal.open(given) : undefined;
  if (position !== undefined && !isAhead(position, end)) return position;
  throw new ProblemError(
    'invalid-cursor',
    'This is no position in the events of this installation. Begin without one.',
  );
}
