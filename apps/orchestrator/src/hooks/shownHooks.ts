/** Webhooks as answers of the API: address, signature, latest deliveries. */
import { type Hook, instant } from '@baton/api';
import { type DeployedTriggers, maySee, type Principal } from '@baton/control';
import { defined } from '@baton/primitives';
import { type Store, listHookDeliveries } from '@baton/store';

export interface HookListOptions {
  readonly store: Store;
  readonly deployed: DeployedTriggers;
}

/** Those that the key may see. */
export async function shownHooks(
  { store, deployed }: HookListOptions,
  principal: Principal,
  workflow: string | undefined,
): Promise<Hook[]> {
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
        ...defined({ reason, runId }),
      })),
    };
  });
  return Promise.all(shown);
}
