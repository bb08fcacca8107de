/** Streams the events of all runs live. */
import { limitUsual, routes } from '@baton/api';
import { control, type Feed, shownEvent } from '@baton/control';
import { type Store, readFeed } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { type StreamParts, stream, wantsStream } from './streams.ts';

export interface FeedRouteOptions extends StreamParts {
  readonly store: Store;
  readonly feed: Feed;
}

export function feedRoutes(app: App, options: FeedRouteOptions): void {
  route(app, routes.listEvents, async (request, reply) => {
    const { principal, headers, query } = request;
    const { store, feed } = options;
    const wanted = { workflow: query.workflow, after: headers['last-event-id'] ?? query.after };
    const { from: after, ...view } = await control.listEvents(options, principal, wanted);
    if (wantsStream(headers.accept)) {
      const read = (position: string) => feed.read(position, view);
      await stream(options, request, reply, { after, isOver: false, read, watch: (onGrown) => feed.watch(onGrown) });
      return reply;
    }
    const { events } = await readFeed(store, { after, limit: query.limit ?? limitUsual });
    const data = events.filter(({ workflow }) => view.isShown(workflow)).map((event) => shownEvent(event, view.shown));
    return { data, position: feed.seal.seal(events.at(-1)?.position ?? after) };
  });
}
