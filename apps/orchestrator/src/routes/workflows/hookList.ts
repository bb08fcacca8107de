/** Lists webhooks for people: address, signature, latest deliveries. */
import { routes } from '@baton/api';

import { type HookListOptions, shownHooks } from '../../hooks/shownHooks.ts';
import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export function hookListRoute(app: App, options: HookListOptions): void {
  route(app, routes.listHooks, async ({ query: { workflow }, principal }) => ({
    data: await shownHooks(options, principal, workflow),
  }));
}
