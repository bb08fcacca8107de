/** Deployed workflows that the caller's key may see, for checking a new one. Others are treated as absent. */
import { isSecretOf, servesWorkflow } from '@baton/language';
import type { BoundSecrets } from '@baton/runner';
import { type Store, getWorkflow, getWorkflowVersion, readState } from '@baton/store';

import { maySee, reasonFor } from '../keys/keyAccess.ts';
import { personBehind } from '../keys/personBehind.ts';
import type { Principal } from '../keys/scopes.ts';
import type { Checker, DeployedWorkflows } from './checker.ts';

export interface DeployedWorkflowParts {
  readonly store: Store;
  readonly secrets: BoundSecrets;
}

export interface DeployParts extends DeployedWorkflowParts {
  readonly checker: Checker;
}

export function deployedWorkflowsFor(
  { store, secrets }: DeployedWorkflowParts,
  principal: Pick<Principal, 'workflows' | 'scopes' | 'actor' | 'client'>,
): DeployedWorkflows {
  const newestOf = async (id: string): Promise<number | undefined> =>
    maySee(principal, id) ? (await getWorkflow(store, id))?.version : undefined;
  return {
    person: personBehind(principal),
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
    secrets: async (workflow) => {
      const bindings = await secrets.bindings();
      return maySee(principal, workflow) ? bindings : new Map([...bindings].filter(([, one]) => !one.workflows));
    },
    async secretUses(workflow) {
      const { hooks, arguments: given } = await secrets.deployedUses();
      const bindings = await secrets.bindings();
      const namesOf = (uses: readonly { readonly workflow: string; readonly secret: string }[]): ReadonlySet<string> =>
        // What the new version replaces is none, and a secret that is bound to other workflows does not exist here.
        new Set(
          uses
            .filter((use) => use.workflow !== workflow && isSecretOf(bindings.get(use.secret) ?? {}, workflow))
            .map(({ secret }) => secret),
        );
      return { hookSecrets: namesOf(hooks), toolSecrets: namesOf(given) };
    },
    reason: (failure) => reasonFor(principal, failure),
    serves: (allow, workflow) =>
      servesWorkflow(allow, workflow) && (allow === undefined || maySee(principal, workflow)),
    async pins(workflow) {
      const newest = await newestOf(workflow);
      const found = newest === undefined ? undefined : await getWorkflowVersion(store, workflow, newest);
      return found?.definition.pins ?? {};
    },
    async state(workflow) {
      const entries = maySee(principal, workflow) ? await readState(store, { workflow, isInline: false }) : [];
      return new Map(
        entries.map(({ key, value, by, runId }) => [key, { value, by: runId === undefined ? by : `run ${runId}` }]),
      );
    },
  };
}
