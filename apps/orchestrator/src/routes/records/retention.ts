/** Shows the retention settings, and what would be removed now. */
import { routes } from '@baton/api';
import type { Retention } from '@baton/control';
import { durationText } from '@baton/language';
import { type Store, isRemovalGuarded } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface RetentionRouteOptions {
  readonly retention: Retention;
  readonly store: Store;
}

export function retentionRoutes(app: App, { retention, store }: RetentionRouteOptions): void {
  route(app, routes.getRetention, async () => {
    const { runsMs, recordsMs } = retention.keep;
    const [removable, isGuarded] = await Promise.all([retention.count(), isRemovalGuarded(store)]);
    const removal = isGuarded ? ('own-role' as const) : ('setting' as const);
    return { runs: keptFor(runsMs), records: keptFor(recordsMs), removal, removable };
  });
}

const keptFor = (ms: number): string => (ms === Infinity ? 'forever' : durationText(ms));
