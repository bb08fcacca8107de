/** Lists webhooks for people: address, signature, latest deliveries. */
import type { Hook } from '@baton/api';
import { instant, routes } from '@baton/api';
import type { Store } from '@baton/store';
import { listHookDeliveries } from '@baton/store';

import type { DeployedTriggers } from '../../deploy/deployedTriggers.ts';
import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { maySee } from '../../keys/keyAccess.ts';

export interface HookListOptions {
  readonly store: Store;
  readonly deployed: DeployedTriggers;
}

export function hookListRoute(app: App, { store, deployed }: HookListOptions): void {
  route(app, routes.listHooks, async ({ query: { workflow }, principal }) => {
    const all = await deployed.of('webhook');
    const wanted = all.filter(
      (one) => maySee(principal, one.workflow) && (workflow === undefined || one.workflow === workflow),
    );
    const shown = wanted.map(async ({ workflow: of, version, trigger: { name, scheme, secret } }): Promise<Hook> => {
      const deliveries = await listHookDeliveries(store, { workflow: of, hook: name });
      return {
        workflow: of,
        hook: name,
        version,
        path: `/v1/hooks/${of}/${name}`,
        scheme,
        secret,
        deliveries: deliveries.map(({ at, outcome, reason, runId }) => ({
          at: instant(at),
          outcome,
          ...(reason === undefined ? {} : { reason }),
          ...(runId === undefined ? {} : { runId }),
        })),
      };
    });
    return { data: await Promise.all(shown) };
  });
}
