/** Routes of what Baton runs on: workers, the queue, settings, and the fence of a database that went back in time. */
import { control, type FenceOptions } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { serve, serveAsIs } from '../../http/route.ts';

type SystemOptions = Parameters<typeof control.listWorkers>[0] & Parameters<typeof control.listSettings>[0];

export function systemRoutes(app: App, options: SystemOptions): void {
  serveAsIs(app, control.listWorkers, options);
  serveAsIs(app, control.drainWorker, options);
  serveAsIs(app, control.getQueue, options);
  serveAsIs(app, control.listSettings, options);
}

export function fenceRoutes(app: App, options: FenceOptions): void {
  serveAsIs(app, control.getFence, options);
  serve(app, control.liftFence, options, {
    input: ({ body: { reason, trust = false, makeUp = false } }) => ({ reason, trust, makeUp }),
    answer: (lifted) => lifted,
  });
}
