/** How long what is kept, and what would be removed now. */
import { routes } from '@baton/api';
import { durationText } from '@baton/language';

import type { App } from '../http/edge.ts';
import { route } from '../http/route.ts';
import type { Retention } from '../retention/retention.ts';

export function retentionRoutes(app: App, retention: Retention): void {
  route(app, routes.getRetention, async () => {
    const { runsMs, recordsMs } = retention.keep;
    return { runs: keptFor(runsMs), records: keptFor(recordsMs), removable: await retention.count() };
  });
}

const keptFor = (ms: number): string => (ms === Infinity ? 'forever' : durationText(ms));
