/** Deployed workflows that the caller's key may see, for checking a new one. Others are treated as absent. */
import { type Store, getWorkflow, getWorkflowVersion, hookSecrets, secretBindings } from '@baton/store';

import { maySee, reasonFor } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import type { DeployedWorkflows } from './checker.ts';

/** Shares one cache of webhook secrets among all checks of this process. */
const ofStores = new WeakMap<Store, ReturnType<typeof hookSecrets>>();

export function hookSecretsOf(store: Store): ReturnType<typeof hookSecrets> {
  const names = ofStores.get(store) ?? hookSecrets(store);
  ofStores.set(store, names);
  return names;
}

export function deployedWorkflowsFor(
  store: Store,
  principal: Pick<Principal, 'workflows' | 'scopes'>,
): DeployedWorkflows {
  const newestOf = async (id: string): Promise<number | undefined> =>
    maySee(principal, id) ? (await getWorkflow(store, id))?.version : undefined;
  return {
    async texts(workflows) {
      const known = new Map<string, string>();
      const read = async (target: string, id: string, version: number | undefined): Promise<void> => {
        const found = version === undefined ? undefined : await getWorkflowVersion(store, id, version);
        if (found !== undefined) known.set(target, found.definition.source);
      };
      for (const target of workflows) {
        const [id = '', version] = target.split('@');
        await read(id, id, await newestOf(id));
        if (version !== undefined && maySee(principal, id)) await read(target, id, Number(version));
      }
      return known;
    },
    secrets: () => secretBindings(store),
    hookSecrets: async () => new Set((await hookSecretsOf(store)()).map(({ secret }) => secret)),
    reason: (failure) => reasonFor(principal, failure),
    async pins(workflow) {
      const newest = await newestOf(workflow);
      const found = newest === undefined ? undefined : await getWorkflowVersion(store, workflow, newest);
      return found?.definition.pins ?? {};
    },
  };
}
