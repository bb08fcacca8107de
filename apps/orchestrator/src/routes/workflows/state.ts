/** Routes of what workflows remember between their runs. */
import { routes } from '@baton/api';
import { control } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { etagOf, replacing } from '../../http/preconditions.ts';
import { route, serveAsIs, serveList } from '../../http/route.ts';

export function stateRoutes(app: App, options: Parameters<typeof control.getWorkflowState>[0]): void {
  serveAsIs(app, control.getWorkflowState, options);
  serveList(app, control.listStateWrites, options, {
    list: 'state',
    isPlace: (text) => /^\d{1,9}$/.test(text),
    shown: (write) => write,
  });
  route(app, routes.setWorkflowState, async ({ params, body, headers, principal }, reply) => {
    const set = await replacing(headers, (mayReplace) =>
      control.setWorkflowState(options, principal, { ...params, ...body, mayReplace }),
    );
    reply.header('etag', etagOf(set.revision));
    return set;
  });
}
