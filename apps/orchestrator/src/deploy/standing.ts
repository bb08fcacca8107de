/** What is deployed already, for the check of what is to be. */
import type { WorkflowSignature } from '@baton/language';
import { parseWorkflow, signatureOf } from '@baton/language';
import type { Store } from '@baton/store';
import { getWorkflow, getWorkflowVersion, secretNames } from '@baton/store';

import type { Standing } from './checker.ts';

export function standingIn(store: Store): Standing {
  const signatureIn = async (id: string, version: number): Promise<WorkflowSignature | undefined> => {
    const found = await getWorkflowVersion(store, id, version);
    const workflow = found && parseWorkflow(found.definition.source).workflow;
    return workflow && signatureOf(workflow);
  };
  const newestOf = async (id: string): Promise<number | undefined> => (await getWorkflow(store, id))?.version;
  return {
    async signatures(workflows) {
      const known = new Map<string, WorkflowSignature>();
      for (const target of workflows) {
        const [id = '', version] = target.split('@');
        const newest = await newestOf(id);
        const latest = newest === undefined ? undefined : await signatureIn(id, newest);
        if (latest !== undefined) known.set(id, latest);
        const pinned = version === undefined ? undefined : await signatureIn(id, Number(version));
        if (pinned !== undefined) known.set(target, pinned);
      }
      return known;
    },
    secrets: () => secretNames(store),
    async pins(workflow) {
      const newest = await newestOf(workflow);
      const found = newest === undefined ? undefined : await getWorkflowVersion(store, workflow, newest);
      return found?.definition.pins ?? {};
    },
  };
}
