/** Routes of the fence: what a database that went back in time lacks, and how its runs go on. */
import { control, type FenceOptions } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { serve } from '../../http/route.ts';

export function fenceRoutes(app: App, options: FenceOptions): void {
  serve(app, control.getFence, options, { input: () => undefined, answer: (fence) => fence });
  serve(app, control.liftFence, options, {
    input: ({ body: { reason, trust = false, makeUp = false } }) => ({ reason, trust, makeUp }),
    answer: (lifted) => lifted,
  });
}
